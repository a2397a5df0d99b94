# %% [markdown]
# # Sums

# %%
sum([1, 1])
