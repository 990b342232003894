"""What the exercise `gpt` is graded by."""

import math
from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    follows_device,
    gradients,
    load,
    mutated,
    observes,
    outcome,
    parameters,
    place,
    points,
    reached,
    scattered,
)
from grader.judging.values import values_of

WIDTH, HEADS, LAYERS = 8, 4, 2


def small(student, **changes):
    """A small configuration, made on the student's side, without dropout."""
    sizes = dict(vocab_size=17, n_positions=9, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS)
    dropout = dict(embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0)
    return student.GPTConfig(**{**sizes, **dropout, **changes})


DROPOUT = dict(embd_pdrop=0.5, attn_pdrop=0.5, resid_pdrop=0.5)


def attention_shapes(width=WIDTH):
    """What an attention learns, by the text's names; so for a block and a whole model."""
    wide, narrow = (3 * width, width), (width, width)
    return {
        "c_attn.weight": wide,
        "c_attn.bias": wide[:1],
        "c_proj.weight": narrow,
        "c_proj.bias": narrow[:1],
    }


def block_shapes(width=WIDTH):
    norms = {f"ln_{i}.{name}": (width,) for i in (1, 2) for name in ("weight", "bias")}
    mlp = {"c_fc.weight": (4 * width, width), "c_fc.bias": (4 * width,)}
    mlp |= {"c_proj.weight": (width, 4 * width), "c_proj.bias": (width,)}
    return {**norms, **under("attn", attention_shapes(width)), **under("mlp", mlp)}


def model_shapes(vocab_size=17, n_positions=9, n_embd=WIDTH, n_layer=LAYERS):
    shapes = {"wte.weight": (vocab_size, n_embd), "wpe.weight": (n_positions, n_embd)}
    for i in range(n_layer):
        shapes |= under(f"h.{i}", block_shapes(n_embd))
    return under("transformer", {**shapes, "ln_f.weight": (n_embd,), "ln_f.bias": (n_embd,)})


def under(prefix, named):
    return {f"{prefix}.{name}": value for name, value in named.items()}


def fixed_state(shapes):
    """Values for every parameter that depend on nothing but its name."""
    return {name: scattered(shape, name).float() for name, shape in shapes.items()}


def with_state(student, module, state, device="cpu"):
    """The student's module with these weights, in evaluation mode."""
    load(student, module, state, typed=True, device=device, evaluating=True)
    return module


torch_attention = values_of(
    [
        ([[['float32', 24, 24, -1.6853347, 9.9426028], ['float32', 24, 8, 192, -164.86321, 87.666195], ['float32', 8, 8, 5.200101, 4.2187506], ['float32', 8, 8, 64, 2.6106672, 33.991921]], ['float32', 3, 5, 8, 120, -160.18973, 119.40862]], ({'dtype': 'float32', 'shape': [3, 5, 8], 'values': [2.5361929, 1.4446681, -2.2969453, 1.7428616, -3.4016337, 4.3343725, -0.56274295, -1.5809278, -2.5647824, -5.4063425, -1.9649355, 3.7511511, 0.49448013, 9.6734772, 1.1181698, -6.2849159, -0.50053149, -1.961087, -0.37483501, 1.6577815, -0.51828402, 6.1124611, -0.20837371, -2.9579859, 2.4585729, 1.9262521, -1.2337506, 0.72655201, -3.0675812, 3.2905257, -0.92188162, -0.8160935, -0.41437143, -3.9649489, 0.38994384, 3.4471459, -0.60180616, 6.3780613, -1.5433825, -3.1177516, 2.3282917, -0.94691658, -1.1107571, 2.3450222, -1.8112847, -3.9163456, -0.86928689, 2.8474736, 2.3387895, -0.24559444, -2.3646257, 1.0801076, -1.0825222, -2.967108, -3.0694921, 1.693511, -1.4600186, -6.4241953, -0.81296551, 3.0220809, 3.034008, 2.402987, -3.0224671, -3.2674756, 2.0418599, -2.4661155, -1.9829752, 1.6850598, 1.8359674, -0.2272929, -2.3553567, -0.40015644, 2.2918208, -0.74372643, -3.0123911, 0.68280458, 0.61714709, -1.2231364, -3.9434743, -0.17388135, 0.55451375, 2.0671723, 5.4287624, 0.67289358, -0.06349647, -0.62417257, 2.810725, 3.3344374, -0.51047558, -1.4915273, 1.6011542, 1.6457112, -0.90382683, -2.3233256, 0.65156972, 1.1521808, 0.80810988, -3.2160079, -0.9429754, 3.4220104, -1.8538494, 1.0267663, -3.4608977, -0.63139588, -0.39654821, 1.8865509, 1.4787359, -0.26919544, -1.0561832, -5.9038038, 5.3388038, 3.3001459, 3.1291044, -0.34670943, 1.3125801, 3.2015467, -0.99597788, 3.1525288, -2.7409112, 1.5925462]}, {'dtype': 'float32', 'shape': [3, 4, 5, 5], 'values': [1.0, 0.0, 0.0, 0.0, 0.0, 0.8683176, 0.1316824, 0.0, 0.0, 0.0, 0.36567491, 0.40454179, 0.2297833, 0.0, 0.0, 0.016641114, 0.031040357, 0.0042670635, 0.94805145, 0.0, 0.0055260356, 0.019470997, 0.00086464488, 0.00041773729, 0.97372061, 1.0, 0.0, 0.0, 0.0, 0.0, 0.00048817878, 0.99951184, 0.0, 0.0, 0.0, 0.19165936, 0.55427265, 0.25406802, 0.0, 0.0, 0.89327645, 0.00067396055, 0.10263802, 0.0034115512, 0.0, 0.00020530887, 0.76908207, 0.0023864594, 0.041731104, 0.18659505, 1.0, 0.0, 0.0, 0.0, 0.0, 0.97601986, 0.023980165, 0.0, 0.0, 0.0, 0.49274871, 0.27937606, 0.22787523, 0.0, 0.0, 0.95692086, 0.00020529439, 0.00088524219, 0.041988574, 0.0, 0.22431478, 0.20708887, 0.27670389, 0.13416663, 0.15772583, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0050415331, 0.99495846, 0.0, 0.0, 0.0, 0.58692718, 0.17123033, 0.24184249, 0.0, 0.0, 0.16053881, 0.15386535, 0.23052077, 0.45507506, 0.0, 0.26827133, 0.043437224, 0.2735323, 0.35081148, 0.063947663, 1.0, 0.0, 0.0, 0.0, 0.0, 0.216636, 0.783364, 0.0, 0.0, 0.0, 0.45239845, 0.52968031, 0.017921261, 0.0, 0.0, 0.60490668, 0.16789146, 0.17609759, 0.051104292, 0.0, 0.10834932, 0.7229256, 0.0087257577, 0.12473412, 0.035265189, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0063473191, 0.9936527, 0.0, 0.0, 0.0, 0.10062706, 0.0010147159, 0.89835823, 0.0, 0.0, 0.0008230111, 0.62324095, 0.013640845, 0.36229518, 0.0, 0.032050099, 0.8976776, 9.280986e-05, 0.068423733, 0.001755737, 1.0, 0.0, 0.0, 0.0, 0.0, 0.40618345, 0.59381658, 0.0, 0.0, 0.0, 0.00037184358, 0.0045411373, 0.99508703, 0.0, 0.0, 0.00031556125, 0.00085957948, 0.99209064, 0.006734224, 0.0, 9.6380199e-06, 2.4304847e-05, 0.73923957, 0.00086966413, 0.25985682, 1.0, 0.0, 0.0, 0.0, 0.0, 0.69358611, 0.30641389, 0.0, 0.0, 0.0, 0.25544491, 0.74346876, 0.0010863151, 0.0, 0.0, 0.14510433, 0.38986826, 0.086476959, 0.37855044, 0.0, 0.017784843, 0.62014407, 2.4785812e-05, 0.35352132, 0.0085249813, 1.0, 0.0, 0.0, 0.0, 0.0, 0.73837262, 0.26162738, 0.0, 0.0, 0.0, 0.0022561708, 0.99772227, 2.1547005e-05, 0.0, 0.0, 0.00078468292, 2.3893177e-05, 0.98701829, 0.012173139, 0.0, 0.0073248511, 0.98411107, 1.4828749e-05, 0.0066081588, 0.0019410764, 1.0, 0.0, 0.0, 0.0, 0.0, 0.62430769, 0.37569231, 0.0, 0.0, 0.0, 0.00055765442, 0.99903262, 0.00040974139, 0.0, 0.0, 0.0097603807, 0.398397, 0.0093311621, 0.58251143, 0.0, 1.8360303e-08, 0.00038808523, 1.9439266e-08, 4.7473481e-05, 0.99956441, 1.0, 0.0, 0.0, 0.0, 0.0, 0.21305051, 0.78694946, 0.0, 0.0, 0.0, 0.050791014, 0.86585689, 0.083352081, 0.0, 0.0, 0.036696792, 0.69665283, 0.030872783, 0.23577763, 0.0, 0.18118024, 0.025741428, 0.70694202, 0.04748081, 0.038655501, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0033713677, 0.99662864, 0.0, 0.0, 0.0, 0.00087311736, 0.9881435, 0.010983356, 0.0, 0.0, 4.4185053e-05, 0.061984647, 0.0013415563, 0.93662959, 0.0, 0.94831574, 0.0014885723, 0.049035173, 0.00014947125, 0.0010110164]})),
        ([[['float32', 24, 24, -1.6853347, 9.9426028], ['float32', 24, 8, 192, -164.86321, 87.666195], ['float32', 8, 8, 5.200101, 4.2187506], ['float32', 8, 8, 64, 2.6106672, 33.991921]], ['float32', 3, 5, 8, 120, -1.2100266, 121.43983]], ({'dtype': 'float32', 'shape': [3, 5, 8], 'values': [-0.63896316, 0.54055899, 1.3786979, 1.2260987, -3.0178814, -1.7102695, -3.2914083, 1.2092106, -0.02928108, 2.6916187, 3.1597707, -0.50676358, -3.333766, -2.4583352, -2.4221447, 2.6370826, -0.01169771, -0.94959229, 0.21648127, -1.5300164, 2.7438583, 3.8438227, -3.8681526, -1.9970779, 0.021517515, 1.5586679, 0.54573888, -1.7370489, -0.4194814, 1.5517576, -4.0008936, -0.85923415, 1.4303322, -2.9079707, 1.4170439, 1.2444526, 0.18444699, 1.4157917, -2.6681907, 1.4547293, -0.20180851, -4.7585311, -4.0837336, -1.8651258, 7.4084396, 1.7006412, -0.12433864, -1.9160864, 2.0393476, -0.75700849, 2.3804948, -0.28823224, 1.8884472, 1.5348651, 0.19282894, 2.2155373, -0.40887147, 4.3239245, -0.14553857, -5.2142258, -1.1331933, -0.50669527, 1.5844437, 1.1756022, 1.3332727, -0.86389863, 0.77953029, 0.3041493, -0.39844882, 1.4412104, -0.90795159, 1.0481241, 4.4843411, 0.92769009, -0.590873, -1.9180063, 2.7684469, 2.7761252, -0.3797884, 1.2295136, 0.29475337, 3.9824879, 4.0502214, 1.4405788, -7.2725043, -0.85134649, -0.43106198, 3.3698711, 0.90745395, 2.6438363, 2.7239566, 1.0391822, -4.5440631, 1.2919555, -0.81921977, 1.1080778, -1.5254512, 3.046829, 1.7165591, -0.92503417, -4.5023146, -2.6999335, -1.8849133, 0.96483475, 2.9106154, -5.4505544, -1.6201141, 3.3876829, 1.0086681, 1.6920385, 0.82658124, 1.1555598, -1.0588236, 2.5098813, 2.2169735, -0.62677908, -4.6406493, -3.0289121, -3.0094662, 1.1792884]}, {'dtype': 'float32', 'shape': [3, 4, 5, 5], 'values': [1.0, 0.0, 0.0, 0.0, 0.0, 0.31864983, 0.68135017, 0.0, 0.0, 0.0, 0.042212192, 0.29050761, 0.6672802, 0.0, 0.0, 0.11156122, 0.30146924, 0.50533748, 0.081632048, 0.0, 0.16274263, 0.0076340684, 0.0015264925, 0.82657123, 0.0015255698, 1.0, 0.0, 0.0, 0.0, 0.0, 0.95693481, 0.043065168, 0.0, 0.0, 0.0, 0.16065663, 0.072537914, 0.76680547, 0.0, 0.0, 0.71138477, 0.038540468, 0.00096566312, 0.24910907, 0.0, 0.040649615, 0.25431815, 0.46719125, 0.13756475, 0.10027622, 1.0, 0.0, 0.0, 0.0, 0.0, 0.56150866, 0.43849131, 0.0, 0.0, 0.0, 0.025535287, 0.096673213, 0.87779152, 0.0, 0.0, 0.043478895, 0.11650112, 0.66583008, 0.1741899, 0.0, 0.63025343, 0.13987653, 0.0085761389, 0.090241201, 0.13105267, 1.0, 0.0, 0.0, 0.0, 0.0, 0.23090456, 0.76909542, 0.0, 0.0, 0.0, 0.29290286, 0.70167607, 0.0054210438, 0.0, 0.0, 0.32669297, 0.13258351, 0.37736601, 0.1633575, 0.0, 0.0013362701, 0.00051983469, 0.98444122, 0.00019793281, 0.013504753, 1.0, 0.0, 0.0, 0.0, 0.0, 0.00031273416, 0.99968725, 0.0, 0.0, 0.0, 0.99613684, 0.00030196842, 0.0035612166, 0.0, 0.0, 0.29195702, 0.0013373543, 0.12674332, 0.57996231, 0.0, 0.50745958, 0.019907327, 0.049201436, 0.033599921, 0.38983175, 1.0, 0.0, 0.0, 0.0, 0.0, 0.46285337, 0.53714663, 0.0, 0.0, 0.0, 0.045458347, 0.95419824, 0.00034341239, 0.0, 0.0, 0.15776502, 0.83569795, 0.00069713057, 0.005839909, 0.0, 4.3462678e-06, 0.00015793122, 9.9287732e-08, 0.00010814395, 0.99972945, 1.0, 0.0, 0.0, 0.0, 0.0, 0.056093555, 0.94390643, 0.0, 0.0, 0.0, 0.0017360168, 0.0060734046, 0.9921906, 0.0, 0.0, 1.0642019e-05, 0.003143583, 0.00095290883, 0.99589288, 0.0, 0.71575117, 0.022213452, 0.25819916, 0.00014818761, 0.0036880516, 1.0, 0.0, 0.0, 0.0, 0.0, 0.075159296, 0.92484069, 0.0, 0.0, 0.0, 0.68240166, 0.16998823, 0.14761011, 0.0, 0.0, 0.26403359, 0.13719128, 0.40592533, 0.1928498, 0.0, 0.033390179, 0.64659685, 0.16192175, 0.14134265, 0.01674854, 1.0, 0.0, 0.0, 0.0, 0.0, 0.8021875, 0.1978125, 0.0, 0.0, 0.0, 0.20125961, 0.47131434, 0.32742605, 0.0, 0.0, 0.80474883, 0.0086552771, 0.14008598, 0.046509907, 0.0, 0.072252057, 0.31808472, 0.26716182, 0.33094811, 0.011553291, 1.0, 0.0, 0.0, 0.0, 0.0, 0.83383626, 0.16616377, 0.0, 0.0, 0.0, 0.99918807, 6.0098046e-08, 0.00081188988, 0.0, 0.0, 8.9981245e-07, 0.9557268, 0.0002536118, 0.044018663, 0.0, 0.99987763, 1.4220796e-09, 0.00012085303, 1.4803819e-06, 4.6027619e-08, 1.0, 0.0, 0.0, 0.0, 0.0, 0.1871393, 0.81286073, 0.0, 0.0, 0.0, 0.071203627, 0.91668308, 0.012113303, 0.0, 0.0, 0.46847907, 0.21347606, 0.037383795, 0.28066108, 0.0, 0.058016904, 0.84477133, 0.010774321, 0.076848894, 0.0095885471, 1.0, 0.0, 0.0, 0.0, 0.0, 0.36011037, 0.6398896, 0.0, 0.0, 0.0, 0.041347027, 0.050876316, 0.90777665, 0.0, 0.0, 0.00013493423, 0.0001525882, 0.99971169, 7.9608611e-07, 0.0, 0.013610777, 0.062952183, 0.26233715, 0.013627266, 0.64747262]})),
        ([[['float32', 36, 36, -24.582585, 17.511251], ['float32', 36, 12, 432, -33.819885, 205.71276], ['float32', 12, 12, 6.1163709, 5.3089774], ['float32', 12, 12, 144, 45.71837, 73.4392]], ['float32', 3, 5, 12, 180, -299.14835, 177.87417]], ({'dtype': 'float32', 'shape': [3, 5, 12], 'values': [-3.0070076, 3.3726761, 6.0461349, -1.0472283, -0.10932627, 8.5088091, 6.608963, -6.9005656, 9.129631, 1.7496123, -6.5680766, 1.7683381, -0.50077409, -1.2363217, 2.4765029, 2.036828, 0.53501904, 1.9128246, -0.36287856, 0.35919136, 1.6789759, -5.9076891, -0.70292693, -1.3598235, -4.4646912, 1.9732521, -0.80632234, 2.562674, -2.3188224, 1.044551, 2.6598589, -1.5060298, 5.6676202, 0.46985096, -8.0512018, 3.6328924, 5.8888173, -6.5809731, 0.46634755, -0.82437563, 0.55345315, -2.8761938, 2.0902812, -3.6680365, 0.5259133, -4.3387384, 0.084438369, 3.5949297, 1.0179764, 0.64718324, 0.43664163, 1.5006819, 1.4524089, 5.7975063, 2.2460108, -4.9975796, 0.6304667, -4.9142962, -5.0542002, -0.24925871, -3.5898662, 3.7842405, 1.3985356, 4.4669199, 1.481068, -0.86895609, -1.6722765, 7.05194, 4.2790766, 4.9705486, -0.86908555, 7.5572867, -3.0817976, -0.65826213, -5.6043425, 2.4021187, -5.1049552, -2.2541323, -1.3645145, 1.1516546, -3.2294207, -5.6856756, -5.9540224, -0.78719819, 2.1686709, -4.0204492, 1.5042102, 2.5564132, -0.81142825, 4.5388947, 1.2937196, -5.2475338, 4.0679145, 0.4974649, -3.1686714, -3.476809, -3.2529135, 2.343148, 4.4372206, 0.028407209, -1.7512867, 3.2951448, 0.61119878, -0.16277254, 4.8899641, 3.4369779, -2.0879281, 0.65066499, -6.3601289, 1.5858209, 0.43450326, 0.48618317, -1.365468, -0.0026527047, 1.155794, 3.0496273, 0.11153716, -1.0679629, -1.9854721, 0.63778615, -6.8678575, 4.3460512, -1.56042, 4.9884067, -3.8330846, 5.82972, 0.60673475, -1.137254, -0.25680745, -2.9567442, -10.726963, -1.0094044, -2.1135304, 4.6633501, 5.9000978, 2.7101641, -0.062368289, 14.733597, -0.81371975, -2.6677401, 3.6473188, 0.35875994, -3.5479591, -6.2656517, -7.1344695, 5.9858923, 1.1164856, -3.4843946, -4.0089641, 6.3116107, 4.6104174, -3.3252194, -0.25149018, 0.5054934, -5.1654253, -5.1706705, -5.4216676, 1.5039883, 2.5596023, 0.79303592, -0.84079617, 4.5586681, 3.5179493, -3.1353195, 5.8187032, 3.0257592, -6.3941464, 0.044325009, -1.2298708, -1.3421619, -2.8928075, 5.1591263, -1.7136968, 2.9457407, 2.2851279, -4.4114556, -1.8901412, -3.5990241, -8.5413771, -2.364783]}, {'dtype': 'float32', 'shape': [3, 4, 5, 5], 'values': [1.0, 0.0, 0.0, 0.0, 0.0, 0.0028762522, 0.99712372, 0.0, 0.0, 0.0, 0.0093324631, 0.0023131431, 0.98835438, 0.0, 0.0, 0.0012634343, 0.99855667, 5.0223505e-05, 0.00012968281, 0.0, 0.074718095, 0.88347983, 0.0034525681, 0.012810077, 0.025539406, 1.0, 0.0, 0.0, 0.0, 0.0, 0.77957684, 0.22042315, 0.0, 0.0, 0.0, 0.70625609, 0.27292147, 0.020822449, 0.0, 0.0, 0.00011359456, 0.0043882569, 0.97001678, 0.025481373, 0.0, 0.90848273, 0.0020464023, 0.00017323959, 0.031812984, 0.057484634, 1.0, 0.0, 0.0, 0.0, 0.0, 0.024754332, 0.97524565, 0.0, 0.0, 0.0, 0.85676575, 0.072121009, 0.071113244, 0.0, 0.0, 0.038176112, 0.79987991, 0.081740603, 0.080203392, 0.0, 0.1327001, 0.0066404236, 0.74859422, 2.078198e-07, 0.11206502, 1.0, 0.0, 0.0, 0.0, 0.0, 0.636356, 0.36364403, 0.0, 0.0, 0.0, 0.23258719, 0.68632734, 0.081085488, 0.0, 0.0, 0.0046951366, 0.0038892063, 0.32135046, 0.67006522, 0.0, 0.13880947, 0.021305952, 0.11051788, 0.042545978, 0.68682069, 1.0, 0.0, 0.0, 0.0, 0.0, 0.45394856, 0.54605144, 0.0, 0.0, 0.0, 1.0870615e-08, 3.8674232e-05, 0.99996132, 0.0, 0.0, 0.0063204011, 0.015203145, 0.72685307, 0.25162336, 0.0, 0.99451208, 0.0008327018, 6.4043677e-09, 0.0034759417, 0.0011792593, 1.0, 0.0, 0.0, 0.0, 0.0, 0.47892195, 0.52107805, 0.0, 0.0, 0.0, 0.24292265, 0.74245292, 0.014624452, 0.0, 0.0, 0.89829761, 0.077534325, 0.020158503, 0.0040095616, 0.0, 0.86513048, 0.10535653, 0.013768648, 0.0050676884, 0.010676641, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0021344339, 0.99786556, 0.0, 0.0, 0.0, 3.8312712e-07, 0.99121684, 0.0087827658, 0.0, 0.0, 3.846165e-07, 0.99988455, 0.00010411907, 1.0971579e-05, 0.0, 1.0014949e-06, 0.99988413, 9.5062926e-05, 1.9718065e-05, 8.2949789e-08, 1.0, 0.0, 0.0, 0.0, 0.0, 0.00027848303, 0.99972153, 0.0, 0.0, 0.0, 0.15448768, 0.46499985, 0.38051245, 0.0, 0.0, 0.064966165, 0.066345222, 0.27581641, 0.5928722, 0.0, 0.39609283, 0.17351303, 0.006103619, 0.23515122, 0.18913932, 1.0, 0.0, 0.0, 0.0, 0.0, 0.003852268, 0.99614775, 0.0, 0.0, 0.0, 0.0074361688, 7.418538e-05, 0.99248964, 0.0, 0.0, 1.2652672e-06, 0.0006941763, 0.95422637, 0.045078181, 0.0, 0.97016841, 0.00017043295, 0.0073914817, 6.3620546e-06, 0.022263305, 1.0, 0.0, 0.0, 0.0, 0.0, 0.99999946, 5.5333487e-07, 0.0, 0.0, 0.0, 0.15919825, 0.71420074, 0.12660101, 0.0, 0.0, 0.051760234, 0.00055382279, 0.19684221, 0.75084376, 0.0, 0.012075849, 0.015774354, 0.28614995, 0.30866876, 0.37733108, 1.0, 0.0, 0.0, 0.0, 0.0, 0.95847929, 0.041520707, 0.0, 0.0, 0.0, 0.61098665, 0.018551398, 0.37046197, 0.0, 0.0, 0.12367047, 0.00027415939, 0.00048669707, 0.87556869, 0.0, 0.34719804, 0.0058805915, 0.47193924, 2.4988365e-05, 0.17495716, 1.0, 0.0, 0.0, 0.0, 0.0, 0.99362266, 0.0063773403, 0.0, 0.0, 0.0, 0.00041546026, 0.00013113231, 0.99945343, 0.0, 0.0, 0.0076622479, 0.38153192, 0.038786657, 0.57201916, 0.0, 0.58851242, 0.001494198, 0.40273052, 0.00026712311, 0.0069956961]})),
    ]
)


# On the student's side -----------------------------------------------------------------------------------------


def in_pieces(layer, x, sizes, need_weights=None):
    """Push a sequence through an attention or a block piece by piece, with one cache."""
    import torch

    cache, outputs = {}, []
    options = {} if need_weights is None else {"need_weights": need_weights}
    for piece in x.split(sizes, dim=1):
        output = layer(piece, cache=cache, **options)
        outputs.append(output if isinstance(output, torch.Tensor) else output[0])
    return torch.cat(outputs, dim=1)


def logits_in_pieces(model, ids, sizes, n_layer):
    import torch

    cache = [{} for _ in range(n_layer)]
    return torch.cat([model(piece, cache) for piece in ids.split(sizes, dim=1)], dim=1)


def cached(layer, x, alone):
    """The shapes of the keys that are remembered after one piece, in a cache or in two; None where there are none."""
    cache = [{} for _ in range(1 if alone else 2)]
    layer(x, cache=cache[0] if alone else cache)
    return [list(each["key"].shape) if "key" in each else None for each in cache]


def toy_model(n_positions, n_layer):
    """A model of 11 tokens whose next token is the sum of token times place, modulo 11; notes what it is given."""
    from types import SimpleNamespace

    import torch

    class Toy(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.config = SimpleNamespace(n_positions=n_positions, n_layer=n_layer, vocab_size=11)
            self.lengths, self.modes = [], []

        def forward(self, ids, cache=None):
            n = ids.shape[1]
            self.lengths.append(n)
            self.modes.append(self.training)
            for layer in [{} for _ in range(n_layer)] if cache is None else cache:
                past = layer["key"][:, 0, :, 0] if layer else ids[:, :0]
                places = torch.arange(1, n + 1, device=ids.device) + past.shape[1]
                seen = torch.cat([past, ids * places], dim=1)  # a key knows its place
                layer["key"] = layer["value"] = seen[:, None, :, None]
            if seen.shape[1] > n_positions:
                raise ValueError("more tokens than positions")
            return 3.0 * torch.nn.functional.one_hot(seen.cumsum(dim=1) % 11, 11)[:, -n:].float()

    return Toy()


def steady_model(logits):
    """A model that says the same of every next token."""
    from types import SimpleNamespace

    import torch

    class Steady(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.config = SimpleNamespace(n_positions=64, n_layer=1, vocab_size=len(logits))

        def forward(self, ids, cache=None):
            return logits.to(ids.device).expand(*ids.shape, len(logits))

    return Steady()


# CausalSelfAttention ------------------------------------------------------------------------------------------


def example_attention(student, seed, **changes):
    layer = student.CausalSelfAttention(small(student, **changes))
    state = fixed_state(attention_shapes())
    return with_state(student, layer, state), state, 2 * scattered((3, 5, WIDTH), seed).float()


@points(0.25, "CausalSelfAttention", read="gpt-attention", step="warm-up")
def test_attention_equals_torch(student):
    """같은 가중치의 nn.MultiheadAttention과 출력이 다릅니다. 나누는 차례, 배율, 마스크, c_proj를 차례로 보십시오."""
    layer, state, x = example_attention(student, 0)
    assert_close(layer(x)[0], torch_attention(state, x)[0], atol=1e-5)


@points(0.25, "CausalSelfAttention", read="gpt-attention")
def test_weights_see_only_the_past(student):
    """가중치는 (batch, heads, n, n)입니다. 행마다 합이 1이고, 대각선의 오른쪽은 0입니다."""
    layer, state, x = example_attention(student, 1)
    weights = layer(x)[1]
    assert_close(weights, torch_attention(state, x)[1], atol=1e-5)


@observes("CausalSelfAttention")
def observe_attention(student):
    width = 12  # three dimensions a head, so that the roots of width, heads and dimensions differ
    state = fixed_state(attention_shapes(width))
    x = 2 * scattered((3, 5, width), 2).float()
    right, right_weights = torch_attention(state, x)
    layers = {}

    def made(values=None, **options):
        key = str(options)
        if key not in layers:
            layers[key] = student.CausalSelfAttention(small(student, n_embd=width, **options))
        return with_state(student, layers[key], state | (values or {}))

    def output():
        """One row of what comes out; or that it is right with the three parts of c_attn in another order."""
        out = made()(x)[0]
        if same(out, right):
            return True
        parts = [state[f"c_attn.{name}"].chunk(3) for name in ("weight", "bias")]
        for order in [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
            weight, bias = (torch.cat([part[i] for i in order]) for part in parts)
            if same(made({"c_attn.weight": weight, "c_attn.bias": bias})(x)[0], right):
                return "another order"
        return [seen(made()(x)[1]), out[0, 3:, :4]]

    def seen(weights):
        """What the third position attends to, and along which axis the weights sum to one."""
        if not isinstance(weights, torch.Tensor) or weights.shape != right_weights.shape:
            return "another shape"
        row = (weights[0, 0, 2] != 0).tolist()
        sums = [same(weights.sum(axis), torch.ones_like(weights.sum(axis))) for axis in (-1, -2)]
        return [row[0], row[2], row[4], sums]

    def reported():
        weights = made()(x)[1]
        if not isinstance(weights, torch.Tensor):
            return "none"
        return same(weights, right_weights) or [list(weights.shape), weights.flatten()[-5:]]

    def fused():
        """What need_weights=False returns."""
        out = made()(x, need_weights=False)
        if not isinstance(out, tuple):
            return "no pair"
        return ["right" if same(out[0], right) else out[0][0, 3:, :4], out[1] is None]

    def pieces(sizes, need_weights=True):
        out = place(student, in_pieces)(made(), x, sizes, need_weights)
        return same(out, right) or out[0, 3:, :4]

    def left(training, need_weights, **options):
        """What is left of the output where one of the dropouts drops all."""
        out = made(**options).train(training)(x, need_weights=need_weights)[0]
        kinds = {"all": right, "the bias": state["c_proj.bias"].expand_as(x), "nothing": 0 * x}
        return next((kind for kind, value in kinds.items() if same(out, value)), "something else")

    def dropped(training, need_weights):
        options = [{"attn_pdrop": 1.0}, {"resid_pdrop": 1.0}]
        return [left(training, need_weights, **option) for option in options]

    def weights_stay():
        return same(made(attn_pdrop=1.0).train()(x)[1], right_weights)

    def refuses_heads():
        return outcome(lambda: student.CausalSelfAttention(small(student, n_head=3))) == "ValueError"

    return up_to_the_first_wrong(
        (output, True),
        (reported, True),
        (fused, ["right", True]),
        (lambda: place(student, cached)(made(), x, True), [[3, HEADS, 5, 3]]),
        (lambda: pieces([4, 1]), True),
        (lambda: pieces([2, 3]), True),
        (lambda: pieces([2, 1, 2]), True),
        (lambda: pieces([4, 1], False), True),
        (lambda: pieces([2, 3], False), True),
        (lambda: dropped(False, True) == ["all", "all"], True),
        (lambda: dropped(False, False), ["all", "all"]),
        (lambda: dropped(True, True), ["the bias", "nothing"]),
        (lambda: dropped(True, False), ["the bias", "nothing"]),
        (weights_stay, True),
        (refuses_heads, True),
        (lambda: follows_device(student, made(), x), True),
    )




# Block --------------------------------------------------------------------------------------------------------


feed_forward = values_of(
    [
        ([[['float32', 24, 24, -5.2927847, 13.694907], ['float32', 24, 8, 192, 31.805211, 97.001536], ['float32', 8, 0, 0.0, 0.0], ['float32', 8, 8, 0, 0.0, 0.0], ['float32', 8, 8, -1.705433, 4.5861627], ['float32', 8, 8, 2.6335404, 3.0313198], ['float32', 8, 8, -2.6658223, 2.8546263], ['float32', 8, 8, 3.0445725, 3.6679324], ['float32', 32, 32, -5.411027, 13.978769], ['float32', 32, 8, 256, -95.900279, 123.69023], ['float32', 8, 8, 4.8388324, 3.775602], ['float32', 8, 32, 256, -136.16012, 120.37153]], ['float32', 3, 5, 8, 120, 6.1113833, 119.9937], 0.1], {'dtype': 'float32', 'shape': [3, 5, 8], 'values': [0.5658412, -0.76511419, 2.0804119, -1.1914582, 1.9739922, -0.46572477, -2.3549283, 1.2186227, 0.67644203, 1.7481834, 2.1366458, 5.9587188, -2.8897505, -0.28853065, -1.7992593, 0.47395036, -0.39145854, -0.11153319, 1.9666531, 0.46124977, -0.27198517, -0.3106429, -4.2661171, 1.2108494, 0.81939459, -1.342804, 0.78467125, 1.5017744, 0.72442508, -2.602994, -2.4418507, 0.35162741, 4.2002773, 0.52620459, -1.2760794, -0.12181848, -0.52232194, -1.7192569, -1.0518802, -3.5462596, 0.72729218, -1.2831695, 0.64169717, 0.25943029, 3.5434735, -1.0561829, -0.68589342, -0.9248125, -0.29735753, -2.0094013, 2.7750852, -1.5433695, 2.3618922, -0.5043003, -1.041382, -1.4347985, 1.0483922, 0.36988279, 1.8848028, 1.4984787, -2.3971863, -1.3295684, -2.3218014, 1.002429, -0.16064504, -5.2193222, 2.7977426, -0.042519331, 5.1902065, -0.40641057, -3.6808305, -0.24771464, 1.0396962, 0.0016209185, -0.27714527, 5.9733787, -4.3674812, -2.2787044, -2.6212513, 0.21610165, 2.7566404, 2.4254701, 2.8331912, 3.7757182, -2.6596515, 1.3599846, -0.61998606, -1.1888034, 0.84532452, 1.1513852, 2.5876911, -1.6871796, 0.88434303, -1.4986567, -1.6748767, 0.7357173, 1.0555013, 2.4418108, 2.5867167, 6.2412019, -4.4616356, -0.57716304, -1.0163192, -0.52386945, 1.1411136, 1.1955485, 1.6894128, 2.784754, -1.66271, 0.39631903, -2.4829347, 1.4075971, 2.3995421, -1.0749376, -0.97499156, 2.6322174, 0.23232913, -2.5215743, -1.5837409, -2.9578121]}),
    ]
)


def example_block(student, seed, epsilon=0.1, attends=True, **changes):
    """A block, its weights and an input; one that does not attend has a projection of zero."""
    block = student.Block(small(student, layer_norm_epsilon=epsilon, **changes))
    state = fixed_state(block_shapes())
    if not attends:
        for name in state:
            state[name] = state[name] * (not name.startswith("attn.c_proj"))
    return with_state(student, block, state), state, 2 * scattered((3, 5, WIDTH), seed).float()


@points(0.5, "Block", read="gpt-block", step="warm-up")
def test_block_without_attention(student):
    """어텐션이 0을 낼 때 블록은 x + mlp(ln_2(x))입니다. 지름길, 정규화의 자리와 엡실론, tanh 근사 GELU를 보십시오."""
    block, state, x = example_block(student, 3, attends=False)
    assert_close(block(x), feed_forward(state, x, 0.1), atol=1e-5)


@observes("Block")
def observe_block(student):
    """Mostly beside an attention that adds nothing but its bias, since it may be wrong itself."""
    x = 2 * scattered((3, 5, WIDTH), 4).float()
    quiet, other = scattered((WIDTH,), 5).float(), scattered((WIDTH,), 6).float()
    blocks = {}

    def made(attends=True, feeds=True, values=None, **options):
        """A block; a part that does not add what it finds adds `quiet`."""
        state = fixed_state(block_shapes())
        for part, speaks in [("attn", attends), ("mlp", feeds)]:
            if not speaks:
                weight = state[f"{part}.c_proj.weight"]
                state |= {f"{part}.c_proj.weight": 0 * weight, f"{part}.c_proj.bias": quiet}
        key = str(options)
        blocks[key] = blocks[key] if key in blocks else student.Block(small(student, **options))
        return with_state(student, blocks[key], state | (values or {}))

    def changes(parts, name):
        """Whether the block's output depends on a parameter, what the shortcut adds of it left out."""
        found, moved = made(*parts)(x), made(*parts, {name: other})(x)
        difference = other - quiet if name.endswith("c_proj.bias") else torch.zeros(WIDTH)
        return not same(moved - found, difference.expand_as(x))

    def shortcut():
        out = made(False, False)(x)
        kinds = {"both": (x, 2 * quiet), "not the first": (0, 2 * quiet), "not the second": (0, quiet)}
        found = next(
            (kind for kind, (base, right) in kinds.items() if same(out - base, right.expand_as(x))),
            out[0, 0, :4],
        )
        return [found, not same(made(False)(x), made(False)(x.flip(0)))]

    def chain():
        """Whether the second part sees what the first one adds, and the other way round."""
        return [changes((False, True), "attn.c_proj.bias"), changes((True, False), "mlp.c_proj.bias")]

    def norms():
        """Which norm each part goes through."""
        used = [
            [i for i in (1, 2) if changes(parts, f"ln_{i}.weight")]
            for parts in ((True, False), (False, True))
        ]
        return "none" if [] in used else "one for both" if used[0] == used[1] else used

    def activation():
        """What the inner layer makes of four numbers, a hundred times."""
        points, dense = [-3.0, -1.0, 0.5, 2.0], torch.zeros(4 * WIDTH)
        dense[:4] = torch.tensor(points)
        values = {"mlp.c_fc.weight": torch.zeros(4 * WIDTH, WIDTH), "mlp.c_fc.bias": dense}
        values["mlp.c_proj.weight"] = 100 * torch.eye(4 * WIDTH)[:WIDTH]
        state = fixed_state(block_shapes())
        out = made(False, True, values)(x) - x - quiet - state["mlp.c_proj.bias"]
        return out[0, 0, :4]

    def epsilon():
        either = ((True, False), (False, True))
        return not any(same(made(*parts, layer_norm_epsilon=3.0)(x), made(*parts)(x)) for parts in either)

    def cache():
        """Whether pieces come out as the whole; asked only of an attention that itself does so."""
        attention = student.CausalSelfAttention(small(student))
        attention = with_state(student, attention, fixed_state(attention_shapes()))
        push = place(student, in_pieces)
        if not all(
            same(attempt(push, attention, x, [3, 2], need), attention(x)[0]) for need in (True, False)
        ):
            return "the attention"
        found, block = push(made(), x, [3, 2]), made()
        if same(found, block(x)):
            return "taken"
        return "lost" if same(found[:, 3:], block(x[:, 3:])) else "otherwise"

    def left(training):
        """What is left of x and of the second part when all that may be is dropped."""
        no_bias = {"attn.c_proj.bias": torch.zeros(WIDTH)}
        out = made(False, True, no_bias, resid_pdrop=1.0).train(training)(x)
        rest = (out - x).flatten(0, 1)
        kinds = {"x": 0 * rest, "nothing": -x.flatten(0, 1), "a constant": rest[:1].expand_as(rest)}
        return next((kind for kind, right in kinds.items() if same(rest, right)), "more")

    return up_to_the_first_wrong(
        (shortcut, ["both", True]),
        (chain, [True, False]),
        (norms, [[1], [2]]),
        (activation, torch.tensor([-0.36374, -15.8808, 34.5714, 195.4598])),
        (epsilon, True),
        (lambda: made(False)(x)[0, 0, :4], torch.tensor([1.1769, -0.98113, -0.19528, 4.1777])),
        (cache, "taken"),
        (lambda: left(False), "more"),
        (lambda: left(True), "x"),
    )




# GPT ----------------------------------------------------------------------------------------------------------

IDS = [[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]]


def silent(state):
    """The same weights, with blocks that add nothing."""
    return {
        name: tensor * 0 if ".h." in name and ".c_proj." in name else tensor for name, tensor in state.items()
    }


def with_tied_state(student, model, state, device="cpu"):
    """The student's model with these weights; a head of its own, which costs points elsewhere, gets the same."""
    load(student, model, {"lm_head.weight": state["transformer.wte.weight"]})
    return with_state(student, model, state, device)


around_silent_blocks = values_of(
    [
        ([[['float32', 24, 24, -4.867648, 11.272021], ['float32', 24, 8, 192, -5.9427626, 94.37014], ['float32', 8, 0, 0.0, 0.0], ['float32', 8, 8, 0, 0.0, 0.0], ['float32', 8, 8, 0.97868548, 3.6527063], ['float32', 8, 8, -6.462718, 5.556088], ['float32', 8, 8, 1.5696337, 5.1093289], ['float32', 8, 8, 4.3768379, 5.1382639], ['float32', 32, 32, -1.6614445, 16.334904], ['float32', 32, 8, 256, 108.85215, 132.79415], ['float32', 8, 0, 0.0, 0.0], ['float32', 8, 32, 0, 0.0, 0.0], ['float32', 24, 24, -26.413006, 12.320643], ['float32', 24, 8, 192, 16.85056, 97.713157], ['float32', 8, 0, 0.0, 0.0], ['float32', 8, 8, 0, 0.0, 0.0], ['float32', 8, 8, 2.9748665, 3.9943851], ['float32', 8, 8, 0.067022006, 4.3546649], ['float32', 8, 8, 0.60525422, 4.5318185], ['float32', 8, 8, -2.4304292, 4.2508722], ['float32', 32, 32, 2.3355708, 13.241569], ['float32', 32, 8, 256, -17.996453, 123.12359], ['float32', 8, 0, 0.0, 0.0], ['float32', 8, 32, 0, 0.0, 0.0], ['float32', 8, 8, 5.9170328, 4.9671917], ['float32', 8, 8, 3.8447797, 2.5733385], ['float32', 9, 8, 72, -19.199549, 38.176575], ['float32', 17, 8, 136, 5.6385164, 61.201809]], ['int64', 2, 5, 10, 93.317063, 39.0], 0.1], {'dtype': 'float32', 'shape': [2, 5, 17], 'values': [-0.26865715, 0.10484272, -1.6108177, 0.79369998, 2.6270134, 0.20606038, -0.97423369, 1.6639348, -0.88262159, -0.65952617, -0.1309315, -1.5850315, -0.1944389, -0.30745509, 0.32481414, -1.5193505, 1.1202228, 0.31297782, 0.35564408, -0.85286742, 0.73121846, 1.1090246, 0.86971366, -0.31519958, 0.61688614, -0.38083574, -0.0092975833, -0.4757368, -2.1106844, 0.67051703, -0.22201274, 0.89540696, -2.1174428, 0.2908622, 0.29128107, -0.0018740773, -2.5342941, 0.25621009, 3.2209733, 0.9266879, -1.4910408, 1.6986042, -0.89049023, -1.4316148, 0.04526921, -1.6511821, -0.87835079, 0.20849076, 1.4610856, -0.76977521, 2.4327023, 0.036473613, 0.15842679, -1.9581734, 0.72634184, 2.7280185, 0.57432783, -1.0948653, 1.5454961, -0.96559203, -1.065568, -0.17400312, -1.7934216, -0.30327061, -0.11296914, 0.96509778, -1.2364612, 1.7320492, -1.2134663, 0.34603009, -1.6727238, 1.1106082, 2.7200847, 0.0068665515, -0.9949339, 1.6267236, -0.90861273, -0.88959688, 0.34303096, -1.4124216, -0.15501475, -0.011017099, 0.29617825, -1.3255391, 1.124577, -0.28874734, 0.36509734, -1.6668041, 0.73473388, 2.3510997, 0.069396146, -0.91010016, 1.3572634, -1.1863704, -1.0576152, 0.12097134, -1.8707175, -0.42122811, -0.0376716, 0.2920565, -1.0509143, 0.99131143, -0.4012785, 0.46107501, -0.3267149, 1.4018456, 0.9663378, 0.28806296, 0.076372921, 0.78467363, -0.5121491, 0.49553216, -0.79500926, -1.9592315, 1.244609, -0.64314479, 0.36061618, -2.5505738, -0.083005495, -0.097486265, 0.3610175, -1.1723272, 0.77440709, 1.611523, 0.16148098, -0.24235643, 1.0776526, -1.0336915, -0.20757681, -0.70884711, -1.8858577, 0.12968436, -0.21427648, 0.76986247, -1.2179822, 1.0815903, -0.53154176, 0.25996196, -2.4379551, 0.41516042, 3.1142163, 0.45649028, -1.4366001, 1.6010957, -1.0515585, -1.6075064, 0.58840388, -1.5510248, -1.0108206, 0.46765083, 0.97542077, -0.47841495, 1.9818292, -1.6372774, 0.1578486, -0.40530109, 2.490603, 2.3992841, -0.51493669, -0.15301147, 2.0896811, -0.71162498, 0.72724187, -1.1517494, -1.1933022, 1.6536742, -1.4557675, -0.34744114, -3.1820173, 0.54205585]}),
    ]
)


@points(0.25, "GPT", read="gpt-model", step="warm-up")
def test_model_around_silent_blocks(student):
    """블록이 아무것도 더하지 않으면 로짓은 ln_f(wte[ids] + wpe[0..n-1])와 wte의 행들의 내적입니다."""
    model = student.GPT(small(student, layer_norm_epsilon=0.1))
    state = silent(fixed_state(model_shapes()))
    ids = torch.tensor(IDS)
    expected = around_silent_blocks(state, ids, 0.1)
    assert_close(with_tied_state(student, model, state)(ids), expected, atol=1e-5)


@points(0.25, "GPT", read="gpt-start")
def test_starts_by_knowing_nothing(student):
    """처음의 손실은 ln V에 가까워야 합니다. 다 만든 다음 initialize(self, config.n_layer)를 불렀는지 보십시오."""
    generator = torch.Generator().manual_seed(6)
    model = student.GPT(small(student, vocab_size=400, n_positions=32, n_embd=64)).eval()
    ids = torch.randint(0, 400, (8, 32), generator=generator)
    logits = model(ids)
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).item()
    assert abs(loss - math.log(400)) < 0.3, f"ln 400 = 5.99에 가까워야 하는데 {loss:.2f}입니다."
    assert logits.std() > 1e-3, "로짓이 모두 같습니다."
    names = [f"transformer.h.0.mlp.{name}" for name in ("c_proj.weight", "c_fc.weight", "c_fc.bias")]
    names.append("transformer.wte.weight")
    config = small(student, vocab_size=400, n_embd=32, n_layer=8, n_head=2)
    deep = parameters(student, student.GPT(config), *names)
    to_stream, inside, bias, table = (deep[name] for name in names)
    for weight, expected in [(to_stream, 0.02 / 4), (inside, 0.02), (table, 0.02)]:
        deviation = weight.std().item()  # its own spread is 1 %
        assert abs(deviation / expected - 1) < 0.1, (
            f"처음의 표준편차가 {expected}이어야 하는데 {deviation:.4f}입니다."
        )
    assert not bias.any(), "편향이 0에서 시작하지 않습니다."


@observes("GPT")
def observe_gpt(student):
    """Around blocks that add nothing, so that it hardly matters whether attention and block are right."""
    one_head = dict(n_positions=20, n_head=1)
    ids = torch.tensor(IDS)

    def made(changes=None, **options):
        state = silent(fixed_state(model_shapes(n_positions=options.get("n_positions", 9))))
        return with_tied_state(student, student.GPT(small(student, **options)), state | (changes or {}))

    def learned():
        """Whether the second block and a head of its own are among what is learned."""
        names = parameters(student, student.GPT(small(student)))
        heads = {"lm_head.weight", "transformer.wte.weight"}
        return ["transformer.h.1.ln_1.weight" in names, heads <= set(names)]

    def logits():
        found = made()(ids)
        if isinstance(found, tuple):
            return "several"
        totals = found.exp().sum(-1), found.sum(-1)
        return "probabilities" if any(same(t, torch.ones_like(t)) for t in totals) else found[0, 1:3, :4]

    def felt():
        """Which blocks the logits depend on."""
        usual = made()(ids)
        changes = [{f"transformer.h.{i}.mlp.c_proj.bias": torch.arange(8.0)} for i in range(LAYERS)]
        return [not same(made(change)(ids), usual) for change in changes]

    def starts():
        """The deviations at the start, each as the nearest power of two times 0.02."""
        names = ["wte.weight", "wpe.weight", "h.0.mlp.c_fc.weight", "h.0.mlp.c_proj.weight"]
        names = [f"transformer.{name}" for name in names]
        config = small(student, vocab_size=40, n_positions=40, n_embd=64, n_layer=8, n_head=2)
        found = parameters(student, student.GPT(config), *names)
        return [round(math.log2(found[name].std().item() / 0.02)) for name in names]

    def handed_on():
        """How long the blocks' caches are; whether a block alone fills one is asked of the block."""
        block = student.Block(small(student, **one_head))
        if attempt(place(student, cached), block, scattered((6, 3, WIDTH), 1).float(), True) != [
            [6, 1, 3, 8]
        ]:
            return "the block"
        return [shape and shape[2] for shape in place(student, cached)(made(**one_head), ids[:, :3], False)]

    def second_position():
        """Where the second piece of a text is said to begin: the place in the table that gives the same."""
        text = torch.arange(30).reshape(6, 5) % 17
        found = place(student, logits_in_pieces)(made(**one_head), text, [3, 2], LAYERS)[:, 3:]
        name = "transformer.wpe.weight"
        table = fixed_state({name: (20, WIDTH)})[name]
        shifted = (made({name: table.roll(-i, 0)}, **one_head)(text[:, 3:]) for i in range(19))
        return next((i for i, right in enumerate(shifted) if same(found, right)), "elsewhere")

    def refusal(*sizes):
        """Whether pieces of these sizes are refused, otherwise how many logits come back."""
        text = torch.ones(1, sum(sizes), dtype=torch.int64)
        found = outcome(lambda: place(student, logits_in_pieces)(made(), text, list(sizes), LAYERS).shape[1])
        return found if found == "ValueError" or isinstance(found, int) else "fails"

    def shown(training):
        """Whether tokens and positions can be told from the logits when every embedding is dropped."""
        model = made(embd_pdrop=1.0).train(training)
        found = model(torch.tensor([[3, 3], [4, 4]]))
        return [not same(found[0], found[1]), not same(found[:, 0], found[:, 1])]

    def follows():
        block, x = student.Block(small(student)), scattered((2, 5, WIDTH), 1).float()
        return follows_device(student, made(), ids) or not follows_device(student, block, x)

    def epsilon():
        large = made(layer_norm_epsilon=3.0)
        return not same(large(ids), made()(ids))

    return up_to_the_first_wrong(
        (learned, [True, False]),
        (
            logits,
            torch.tensor([[0.38029, 0.36185, -0.82109, 0.70616], [0.36742, -0.02651, -2.6472, 0.18486]]),
        ),
        (felt, [True, True]),
        (epsilon, True),
        (starts, [0, 0, 0, -2]),
        (lambda: refusal(9), 9),
        (lambda: refusal(10), "ValueError"),
        (handed_on, [3, 3]),
        (second_position, 3),
        (lambda: refusal(8, 2) == "ValueError", True),
        (lambda: shown(False), [True, True]),
        (lambda: shown(True), [False, False]),
        (follows, True),
    )




# lm_loss ------------------------------------------------------------------------------------------------------


@points(0.25, "lm_loss", read="gpt-loss", step="warm-up")
def test_loss_shifts_by_one(student):
    """자리 t의 로짓으로 자리 t + 1의 토큰을 맞힌 교차 엔트로피의 평균이어야 합니다."""
    probabilities = torch.tensor(
        [[[0.1, 0.5, 0.4], [0.25, 0.25, 0.5], [0.9, 0.05, 0.05]], [[0.8, 0.1, 0.1]] * 3]
    )
    ids = torch.tensor([[0, 2, 2], [1, 0, 0]])
    expected = -(math.log(0.4) + math.log(0.5) + 2 * math.log(0.8)) / 4
    assert_close(student.lm_loss(probabilities.log(), ids), torch.tensor(expected), atol=1e-5)


@observes("lm_loss")
def observe_lm_loss(student):
    logits = 3 * scattered((3, 5, 6), 8).float()
    ids = torch.tensor([[2, 0, 5, 1, 4], [3, 3, 0, 2, 5], [1, 4, 2, 0, 1]])

    def loss(rows=3, n=5):
        return round(float(student.lm_loss(logits[:rows, :n], ids[:rows, :n])), 3)

    def mean():
        found, right = loss(), 3.3894
        return "a sum" if any(math.isclose(found, n * right, rel_tol=1e-3) for n in (3, 4, 12)) else found

    def refusal(**sizes):
        """Whether it is refused, otherwise the loss."""
        found = outcome(lambda: loss(**sizes))
        return found if found == "ValueError" or isinstance(found, float) else "fails"

    return up_to_the_first_wrong(
        (mean, 3.389),
        (lambda: refusal(rows=1), 3.583),
        (lambda: refusal(n=2), 2.142),
        (lambda: refusal(n=1) == "ValueError", True),
        (lambda: refusal(rows=1, n=1) == "ValueError", True),
        (lambda: attempt(reached, student.lm_loss, logits, ids, otherwise=[]), ["0"]),
    )




# generate -----------------------------------------------------------------------------------------------------


def continued(prompt, new, limit):
    """What the toy model's greedy continuation is, by counting."""
    rows = [list(row) for row in prompt]
    for row in rows:
        for _ in range(new):
            window = row[-limit:]
            row.append(sum(place * token for place, token in enumerate(window, 1)) % 11)
    return torch.tensor(rows)


@points(0.25, "generate", read="gpt-generate", step="warm-up")
def test_prompt_and_continuation(student):
    """프롬프트와 이어 쓴 것을 함께 돌려줍니다. 다음 토큰은 마지막 자리의 로짓에서 나옵니다."""
    prompt = [[1, 2, 3], [4, 0, 1]]
    found = student.generate(place(student, toy_model)(20, 2), torch.tensor(prompt), 5, temperature=0)
    assert_close(found, continued(prompt, 5, 20))


@points(0.25, "generate", read="gpt-crop")
def test_crops_what_the_model_sees(student):
    """모델에는 마지막 n_positions개까지만 넣고, 돌려주는 것은 자르지 않습니다."""
    for prompt, use_cache in [([[1, 2, 3, 4, 5, 6, 7]], False), ([[1, 2, 3]], True)]:
        model = place(student, toy_model)(5, 2)
        found = student.generate(model, torch.tensor(prompt), 4, temperature=0, use_cache=use_cache)
        assert_close(found, continued(prompt, 4, 5))


@observes("generate")
def observe_generate(student):
    prompt = [[1, 2, 3, 4], [5, 0, 0, 2]]

    def tokens(limit, **options):
        """What is written greedily after the prompt; a name for what is written rightly and not all of it."""
        right = continued(prompt, 4, limit)
        found = student.generate(
            place(student, toy_model)(limit, 2), torch.tensor(prompt), 4, temperature=0, **options
        )
        n = found.shape[1]
        if limit < n < 8 or n == limit:
            kinds = {"cut": right[:, -n:], "stopped": right[:, :n]}
            return next((kind for kind, part in kinds.items() if torch.equal(found, part)), found)
        return found

    def lengths(limit, **options):
        """How much is given to the model at each call, whether or not it takes it."""
        model = place(student, toy_model)(limit, 2)
        outcome(lambda: student.generate(model, torch.tensor(prompt), 4, temperature=0, **options))
        return list(model.lengths)

    def share(temperature):
        return round(share_of_one(student, temperature), 1)

    def largest():
        found = attempt(share, 0)
        return found if found != "fails" or attempt(share, 1.0) != "fails" else "always fails"

    def keeps_the_mode(training):
        model = place(student, toy_model)(9, 1)
        model.train(training)
        student.generate(model, torch.tensor(prompt), 2)
        return {*model.modes, model.training} == {training}

    plain, roomy, narrow = {"use_cache": False}, continued(prompt, 4, 20), continued(prompt, 4, 6)
    return up_to_the_first_wrong(
        (largest, 1.0),
        (lambda: tokens(20, **plain), roomy),
        (lambda: tokens(6, **plain), narrow),
        (lambda: tokens(40), roomy),
        (lambda: lengths(20), [4, 1, 1, 1]),
        (lambda: lengths(6), [4, 1, 1, 6]),
        (lambda: tokens(6), narrow),
        (lambda: lengths(20, **plain), [4, 5, 6, 7]),
        (lambda: [share(temperature) for temperature in (0.01, 1.0, 1000.0)], [1.0, 0.8, 0.5]),
        (lambda: repeats(student), [True, True]),
        (lambda: len(set(draw(student, [0.0] * 50, 40, 1.0, 3).tolist())) > 5, True),
        (lambda: keeps_the_mode(True) and keeps_the_mode(False), True),
    )


def draw(student, logits, rows, temperature, seed):
    model = place(student, steady_model)(torch.tensor(logits))
    generator = torch.Generator().manual_seed(seed)
    ids = torch.zeros(rows, 2, dtype=torch.int64)
    return student.generate(model, ids, 1, temperature=temperature, generator=generator)[:, -1]


def share_of_one(student, temperature):
    """How often the token 1 is drawn, four times as likely as the token 0 at temperature 1."""
    return draw(student, [1.0, 1 + math.log(4.0)], 4000, temperature, 0).float().mean().item()


def repeats(student):
    """Whether the same generator draws the same, and another one something else."""
    once, twice, other = (draw(student, [0.0] * 50, 40, 1.0, seed).tolist() for seed in (1, 1, 2))
    return [once == twice, once != other]
