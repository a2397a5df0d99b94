# %% [markdown] readonly
# # Add

# %% readonly id=setup
import math


# %% solution id=add
def add(a, b):
    """Add two numbers."""
    ### BEGIN SOLUTION
    return math.fsum([a, b])
    ### END SOLUTION


# %% test points=3 id=test_add
assert add(1, 2) == 3
### BEGIN HIDDEN TESTS
assert add(-5, 2) == -3, "hidden"
### END HIDDEN TESTS

# %% test points=2 id=test_more
assert add(2, 2) == 4
int(add(1, 1) == 2) + int(add(2, 3) == 5)

# %% [markdown] manual points=10 id=written
# Why?
#
# ### BEGIN SOLUTION
# Because sums do not care about order.
# ### END SOLUTION
