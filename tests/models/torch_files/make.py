"""Makes the files of tests/models/torch_files; run it where PyTorch is installed."""

import pickle
import sys
from collections import OrderedDict
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

out = Path(sys.argv[1])
out.mkdir(exist_ok=True)
torch.manual_seed(0)
base = torch.arange(12, dtype=torch.float32).reshape(3, 4)
net = torch.nn.Linear(3, 2)
values = OrderedDict(
    plain=base.clone(),
    transposed=base.t(),
    part=base[1:, ::2],
    half=base.to(torch.float16)[:2],
    brain=base.to(torch.bfloat16)[:2] / 3,
    double=base.double()[0],
    integers=torch.tensor([[1, -2], [3, 2**40]]),
    small=torch.tensor([1, -2], dtype=torch.int8),
    flags=torch.tensor([True, False]),
    scalar=torch.tensor(2.5),
    empty=torch.zeros(0, 3),
    **{f"net.{k}": v for k, v in net.state_dict().items()},
    parameter=torch.nn.Parameter(torch.ones(2)),
)
state = {"model": values, "epoch": 3, "names": ["a", "b"], "rate": 0.5, "done": None, "pair": (1, True)}
torch.save(state, out / "zip.pt")
torch.save(state, out / "legacy.pt", _use_new_zipfile_serialization=False)
np.savez(
    out / "expected.npz",
    **{k: v.detach().float().numpy() if v.dtype == torch.bfloat16 else v.detach().numpy() for k, v in values.items()},
)
save_file({k: v.detach().contiguous() for k, v in values.items()}, out / "plain.safetensors")
data = {
    "seg[0]": np.arange(6, dtype="float32").reshape(2, 3),
    "seg[1]": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "big": np.array([1, 2], ">i4"),
    "score": np.float64(-0.5),
    "words": ["good", "food"],
    "flag": np.bool_(True),
    "text": np.array(["ab", "c"]),
}
for protocol in (2, 4, 5):
    (out / f"data{protocol}.p").write_bytes(pickle.dumps(data, protocol=protocol))
torch.save(net, out / "module.pt")
