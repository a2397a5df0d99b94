import pytest

from cgkit.grading.stamps import read_timestamp


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2030-07-01 12:00:00.123 UTC", 12),
        ("2030-07-01T12:00:00+00:00", 12),
        ("2030-07-01 12:00:00 +0200", 10),
        ("2030-07-01 12:00:00 Europe/Berlin", 10),
        ("2030-07-01 12:00:00", 12),
    ],
)
def test_times_come_out_in_utc(text, hour):
    found = read_timestamp(text)
    assert (found.hour, found.tzinfo) == (hour, None)


@pytest.mark.parametrize(
    "text", ["", "now", "2030-07-01 12:00 Mars/Base", "0001-01-01 00:00 +2300"]
)
def test_what_is_no_time_is_said_so(text):
    with pytest.raises(ValueError, match=r"\w"):
        read_timestamp(text)
