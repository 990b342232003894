"""Devices of an answer's tensors, seen without a second device."""

from __future__ import annotations


def run_on_two_devices(function, args, kwargs, default):
    """Call a function where its inputs lie on one device and "meta" is another; the devices of what it returns.

    `suite` places this on the student's side. All is computed on the CPU, and of what would lie on "meta" the storages
    are noted. So it has values, which an answer may ask for. Tensors that do lie on "meta" have none, and the first of
    them loads torch's compiler, which takes longer than a whole check.

    Args:
        default: whether "meta" is also where torch puts what is made without naming a device.

    Raises:
        RuntimeError: it mixes tensors of two devices, which a GPU would refuse.
    """
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._device import _device_constructors
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves, tree_map

    makes, moves = _device_constructors(), {torch.Tensor.to, torch.Tensor.type_as}
    takes = {
        torch.tensor,
        torch.as_tensor,
        torch.asarray,
    }  # what is made of a tensor lies where that one does
    # These take tensors of another device; what comes of them lies where their first one does.
    between = {"copy_", "index", "index_put_"}
    noted = {}  # by address; as long as they are here, no other storage takes it

    # Nearly all operations of a right answer come while nothing is noted: they are let through without a look.

    def address(x):
        try:
            return x.untyped_storage()._cdata
        except NotImplementedError:  # torch.vmap's tensors have none; what is inside them is seen by itself
            return None

    def note(x, there):
        noted.pop(address(x), None)
        if there and address(x) is not None:
            noted[address(x)] = x.untyped_storage()

    def is_there(x):
        return bool(noted) and isinstance(x, torch.Tensor) and address(x) in noted

    def is_meta(x):
        return isinstance(x, str | torch.device) and str(x) == "meta"

    def tensors(tree):
        return [x for x in tree_leaves(tree) if isinstance(x, torch.Tensor)]

    def sides(found):
        return {is_there(x) for x in found if x.dim()}  # scalars may lie where they like

    class Named(TorchFunctionMode):
        """Notes what is made or moved where a device is named, or none."""

        def __torch_function__(self, called, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if called == torch.Tensor.device.__get__ and is_there(args[0]):
                return torch.device("meta")
            asked = [*args[1:], *kwargs.values()] if called in moves else [kwargs.get("device")]
            asked = [x for x in asked if isinstance(x, str | torch.device | torch.Tensor)]
            of_tensor = called in takes and any(isinstance(x, torch.Tensor) for x in args[:1])
            if not asked and default and called in makes and not of_tensor:
                asked = ["meta"]
            apart.within = bool(noted) and not asked and sides(tensors([args, kwargs])) == {True}
            if not asked:
                return called(*args, **kwargs)
            there = any(is_meta(x) or is_there(x) for x in asked)
            given = tree_map(lambda x: "cpu" if is_meta(x) else x, [args, kwargs])
            found = called(*given[0], **given[1])
            if is_there(found) != there:
                found = found.clone() if address(found) in map(address, tensors(given)) else found
                note(found, there)
            return found

    class Apart(TorchDispatchMode):
        """Refuses operations on tensors of two devices, and notes what comes of those on "meta"."""

        within = False  # a function of such tensors: what it makes of none lies there too

        @classmethod
        def _should_skip_dynamo(cls):
            return False  # else torch loads its compiler, to tell it to leave this class alone

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            if not noted:
                return operation(*args, **(kwargs or {}))
            given = tensors([args, kwargs])
            if operation.name().split("::")[1].split(".")[0] in between:
                given = given[:1]
            if len(sides(given)) > 1:
                raise RuntimeError("Expected all tensors to be on the same device, but found two")
            there = all(sides(given) or map(is_there, given)) if given else self.within
            found = operation(*args, **(kwargs or {}))
            if there:
                for x in tensors(found):
                    note(x, True)
            return found

    with Named(), Apart() as apart:
        found = tensors(function(*args, **kwargs))
    return ["meta" if is_there(x) else x.device.type for x in found]
