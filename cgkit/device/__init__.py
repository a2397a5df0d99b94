"""Where arrays lie: the memory of the cpu, of a simulated npu, of a GPU.

    array ─ npu.put ─> DeviceArray ─ npu.take ─> array         each a counted copy
                        no arithmetic, no elements

    array  <  devices

Plain NumPy arrays lie on the cpu, and operators compute there. What lies elsewhere is a
DeviceArray: it has a shape and a dtype, and its numbers are reached only by a copy, which its
device counts.
"""

from cgkit.device.array import DeviceArray, Space, Traffic
from cgkit.device.devices import DEVICES, Device, cpu, cuda, device_of, find, npu

__all__ = [
    "DEVICES", "Device", "DeviceArray", "Space", "Traffic", "cpu", "cuda", "device_of", "find",
    "npu",
]  # fmt: skip
