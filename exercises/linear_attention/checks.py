"""What the exercise `linear_attention` is graded by."""

import math

import torch

from grader.judging.contract import assert_manners, bad_manners, finite_gradients, how_refused
from grader.judging.memory import measured
from grader.judging.observed import attempt, same, up_to_the_first_wrong
from grader.judging.suite import assert_close, observes, place, points, reached, refuses, scattered
from grader.judging.values import values_of

# What all four share -----------------------------------------------------------------------------------------


def texts(n=7, d_k=3, d_v=2, batch=(2,), key=1):
    """query, key, value, beta, log_decay: every number of its own size, no key of unit length."""
    query, keys, value, beta, decay = (
        scattered((*batch, n, *width), 10 * key + i)
        for i, width in enumerate([(d_k,), (d_k,), (d_v,), (), ()])
    )
    return query, 0.9 * keys, value, 0.55 + 0.4 * beta, -0.5 - 0.4 * decay


def without_beta(*shape, **options):
    query, key, value, _, log_decay = texts(*shape, **options)
    return query, key, value, log_decay


def without_decay(*shape, **options):
    return texts(*shape, **options)[:4]


def a_state(d_k=3, d_v=2, batch=(2,), key=5):
    return scattered((*batch, d_k, d_v), key)


summed = values_of(
    [
        ([['float64', 2, 7, 3, 42, -1.3826079, 20.200303], ['float64', 2, 7, 3, 42, -28.163227, 23.139607], ['float64', 2, 7, 2, 28, -23.193492, 14.206766], ['float64', 2, 7, 14, -23.383848, 8.5536608]], ({'dtype': 'float64', 'shape': [2, 7, 2], 'values': [0.17998454, 0.45669768, -0.076839559, 0.65959629, 0.53555245, -0.99625213, -0.068686173, -0.085923591, 0.22301053, 1.0950905, -0.22548593, 0.17650817, -0.0072114539, -0.84824227, 0.10095751, -0.25797351, -0.29437305, 0.1986418, -0.68026854, -0.73376358, 0.57833454, 0.51685791, 0.26942602, 0.31086783, 0.020871247, -0.2547961, -0.037057381, 0.063920586]}, {'dtype': 'float64', 'shape': [2, 3, 2], 'values': [0.0023465307, 0.30254024, -0.21377764, 0.58849137, 0.2308626, 0.57913167, -0.075807777, -0.11401302, -0.1397281, 0.012827602, 0.63007266, 0.2169964]})),
        ([['float64', 2, 7, 3, 42, -1.3826079, 20.200303], ['float64', 2, 7, 3, 42, -28.163227, 23.139607], ['float64', 2, 7, 2, 28, -23.193492, 14.206766], ['float64', 2, 7, 14, -23.383848, 8.5536608], ['float64', 2, 3, 2, 12, -2.6095328, 6.0145281]], ({'dtype': 'float64', 'shape': [2, 7, 2], 'values': [0.18575656, -0.059221795, 0.12856676, 0.22698776, 0.51157784, -0.86020439, -0.061491188, -0.04475651, 0.20289205, 0.96494166, -0.21910738, 0.1658146, -0.022361412, -0.81998571, 0.52323109, -0.31838962, -0.5442631, 0.23438349, -0.68103787, -0.71087894, 0.65954369, 0.5765817, 0.31314536, 0.33177917, -0.0027603662, -0.27267659, -0.028502906, 0.066394869]}, {'dtype': 'float64', 'shape': [2, 3, 2], 'values': [-0.0092081705, 0.30257117, -0.2041677, 0.57554101, 0.22709332, 0.56193046, -0.085881512, -0.11518626, -0.13287924, 0.021512284, 0.63182988, 0.21389431]})),
        ([['float64', 4, 3, 12, -1.6887327, 5.1597274], ['float64', 4, 3, 12, -3.6553424, 7.6187647], ['float64', 4, 2, 8, -2.3982468, 4.2335827], ['float64', 4, 4, -3.4260697, 2.1394887]], ({'dtype': 'float64', 'shape': [4, 2], 'values': [0.17998454, 0.45669768, -0.076839559, 0.65959629, 0.53555245, -0.99625213, -0.068686173, -0.085923591]}, {'dtype': 'float64', 'shape': [3, 2], 'values': [-0.18426907, -0.047586859, -0.079758029, 0.52776188, 0.49706501, -0.020317184]})),
        ([['float64', 2, 3, 4, 3, 72, 18.849995, 33.7396], ['float64', 2, 3, 4, 3, 72, -27.698168, 34.847412], ['float64', 2, 3, 4, 2, 48, -12.680659, 22.113802], ['float64', 2, 3, 4, 24, -43.177797, 13.07026]], ({'dtype': 'float64', 'shape': [2, 3, 4, 2], 'values': [0.17998454, 0.45669768, -0.076839559, 0.65959629, 0.53555245, -0.99625213, -0.068686173, -0.085923591, 0.040544899, 0.79062912, -0.18930155, 0.092593704, 0.076436107, -0.76614037, 0.13707398, -0.23049255, -0.26637533, 0.12710011, -0.72896789, -0.60932367, 0.57615657, 0.52242321, 0.25717091, 0.34218292, 0.13420626, -0.15050303, -0.068864416, 0.023288811, 0.036618569, -0.058499939, 0.36156578, -0.37951218, 0.2962191, -0.13787782, 0.38962899, -0.18303025, 0.10030434, -0.032692555, -0.089643794, -0.042722662, 0.01329313, 0.0058749255, 0.19374261, 0.18174085, 0.023845768, 0.059594641, -0.021650348, -0.67369659]}, {'dtype': 'float64', 'shape': [2, 3, 3, 2], 'values': [-0.18426907, -0.047586859, -0.079758029, 0.52776188, 0.49706501, -0.020317184, -0.16980143, 0.62658517, -0.075378903, 0.18838427, -0.010670961, 0.50830775, -0.16444515, -0.32668536, 0.43329258, 0.42276885, 0.25812197, 0.35497122, 0.39645918, -0.57182169, -0.038390595, -0.17514552, 0.0011194831, 0.23412254, -0.14659099, -0.046311694, 0.16663616, 0.031408934, 0.10593867, -0.11909276, -0.096454947, -0.700773, 0.063759007, 0.63513712, 0.10671152, 0.26597366]})),
        ([['float64', 2, 7, 3, 42, -1.3826079, 20.200303], ['float64', 2, 7, 3, 42, -28.163227, 23.139607], ['float64', 2, 7, 2, 28, -23.193492, 14.206766], ['float64', 2, 7, 0, 0.0, 0.0]], ({'dtype': 'float64', 'shape': [2, 7, 2], 'values': [0.17998454, 0.45669768, 0.061730162, 1.0112069, 0.59622463, -1.6228982, -0.089154879, -0.4532861, 0.32657889, 2.871978, -0.45916865, 1.0172307, -0.51772042, -4.3950518, 0.10095751, -0.25797351, -0.30248761, 0.21937668, -1.0110455, -0.73227796, 1.1306052, 0.50755926, 0.59056348, 0.29259521, -0.41607822, -0.28291193, 0.016098913, 0.098352939]}, {'dtype': 'float64', 'shape': [2, 3, 2], 'values': [-0.12744365, -0.18182947, -0.77974842, 2.9298005, 1.2538411, 1.5721759, -0.013097506, -0.10948005, 1.261492, 0.70573899, 1.3569424, 0.67831789]})),
        ([['float64', 2, 7, 3, 42, -1.3826079, 20.200303], ['float64', 2, 7, 3, 42, -28.163227, 23.139607], ['float64', 2, 7, 2, 28, -23.193492, 14.206766], ['float64', 2, 7, 14, -23383.848, 8553.6608]], ({'dtype': 'float64', 'shape': [2, 7, 2], 'values': [0.17998454, 0.45669768, -0.24416759, 0.23501358, 0.033606729, -0.13328628, -0.089805196, 0.047929788, 0.040544899, 0.79062912, -0.19466931, -0.012078088, 0.025479308, -0.34513955, 0.10095751, -0.25797351, -0.26637533, 0.12710011, -0.31169628, -0.80842345, 0.18120173, 0.20056953, 0.1272994, 0.18835427, 0.13420626, -0.15050303, -0.035715015, -0.013885949]}, {'dtype': 'float64', 'shape': [2, 3, 2], 'values': [-0.033855211, 0.45859849, -0.025149373, 0.3406703, -0.031643777, 0.42864269, -0.073495115, -0.028574801, -0.20502133, -0.079712015, 0.53163265, 0.20669805]})),
    ]
)


corrected = values_of(
    [
        ([['float64', 2, 7, 3, 42, -1.3826079, 20.200303], ['float64', 2, 7, 3, 42, -28.163227, 23.139607], ['float64', 2, 7, 2, 28, -23.193492, 14.206766], ['float64', 2, 7, 14, 21.487499, 7.9949552], ['float64', 2, 7, 14, -23.383848, 8.5536608]], ({'dtype': 'float64', 'shape': [2, 7, 2], 'values': [0.071510917, 0.18145375, -0.091050908, 0.30140357, 0.36776399, -0.49427757, -0.022602413, -0.02268782, 0.036664548, 0.29422436, -0.16885477, 0.014644217, 0.07458013, -0.38698042, 0.080736777, -0.2063041, -0.20707049, 0.17136353, -0.23603326, -0.2668391, 0.18611531, 0.12412644, 0.065762417, 0.061564745, 0.10170858, -0.15276336, -0.053453115, 0.028445272]}, {'dtype': 'float64', 'shape': [2, 3, 2], 'values': [-0.024358067, 0.36004081, -0.19900806, 0.30905843, 0.10328913, 0.41921832, -0.033620094, -0.070028576, -0.1516033, -0.04428835, 0.48246451, 0.16366311]})),
        ([['float64', 2, 7, 3, 42, -1.3826079, 20.200303], ['float64', 2, 7, 3, 42, -28.163227, 23.139607], ['float64', 2, 7, 2, 28, -23.193492, 14.206766], ['float64', 2, 7, 14, 21.487499, 7.9949552], ['float64', 2, 7, 14, -23.383848, 8.5536608], ['float64', 2, 3, 2, 12, -2.6095328, 6.0145281]], ({'dtype': 'float64', 'shape': [2, 7, 2], 'values': [0.079620961, -0.081464157, 0.10256479, 0.091221119, 0.39336234, -0.49131946, -0.0089725033, -0.016705244, -0.0086668961, 0.27743646, -0.17431699, 0.01286303, 0.0729959, -0.38580649, 0.35387524, -0.321816, -0.3799097, 0.2572652, -0.2329763, -0.21513802, 0.22169658, 0.14893201, 0.084744463, 0.073796934, 0.091492888, -0.16435075, -0.049394943, 0.02972819]}, {'dtype': 'float64', 'shape': [2, 3, 2], 'values': [-0.02522671, 0.36065331, -0.20028878, 0.30828556, 0.10555878, 0.41928864, -0.038508406, -0.070933347, -0.14953185, -0.040301975, 0.48268274, 0.16336602]})),
        ([['float64', 4, 3, 12, -1.6887327, 5.1597274], ['float64', 4, 3, 12, -3.6553424, 7.6187647], ['float64', 4, 2, 8, -2.3982468, 4.2335827], ['float64', 4, 4, 2.9666816, 1.9243276], ['float64', 4, 4, -3.4260697, 2.1394887]], ({'dtype': 'float64', 'shape': [4, 2], 'values': [0.071510917, 0.18145375, -0.091050908, 0.30140357, 0.36776399, -0.49427757, -0.022602413, -0.02268782]}, {'dtype': 'float64', 'shape': [3, 2], 'values': [-0.10055397, 0.029754566, -0.081272221, 0.21379796, 0.23797305, -0.097169642]})),
        ([['float64', 2, 3, 4, 3, 72, 18.849995, 33.7396], ['float64', 2, 3, 4, 3, 72, -27.698168, 34.847412], ['float64', 2, 3, 4, 2, 48, -12.680659, 22.113802], ['float64', 2, 3, 4, 24, 44.755623, 13.368319], ['float64', 2, 3, 4, 24, -43.177797, 13.07026]], ({'dtype': 'float64', 'shape': [2, 3, 4, 2], 'values': [0.071510917, 0.18145375, -0.091050908, 0.30140357, 0.36776399, -0.49427757, -0.022602413, -0.02268782, 0.011172644, 0.21786754, -0.166237, 0.0027664851, 0.10775445, -0.39862235, 0.1245857, -0.15827892, -0.17215409, 0.082142758, -0.25478709, -0.21891803, 0.17425115, 0.15444256, 0.056896075, 0.084220625, 0.12634594, -0.14168824, -0.05952516, 0.021102365, 0.0029847157, -0.053702028, 0.23592964, -0.12101571, 0.2392956, -0.11138227, 0.29578327, -0.13873242, 0.040966709, -0.016097287, -0.024155675, -0.015853213, 0.012234153, 0.0054069085, 0.14392698, 0.12665711, -0.01217481, 0.037312978, -0.0012094903, -0.15923035]}, {'dtype': 'float64', 'shape': [2, 3, 3, 2], 'values': [-0.10055397, 0.029754566, -0.081272221, 0.21379796, 0.23797305, -0.097169642, -0.16925988, 0.40954754, -0.080974319, 0.12332207, -0.032037337, 0.31904711, -0.017749415, -0.079663828, 0.12052933, 0.10337441, 0.086500164, 0.11620735, 0.21090383, -0.29679701, -0.07446826, -0.15859879, 0.015572551, 0.056670479, -0.0012505172, -0.033684652, 0.069875669, 0.0023874449, 0.10580201, -0.072361008, -0.043807938, -0.18112711, 0.017819755, 0.16590816, 0.045199565, 0.09298745]})),
        ([['float64', 2, 7, 3, 42, -1.3826079, 20.200303], ['float64', 2, 7, 3, 42, -28.163227, 23.139607], ['float64', 2, 7, 2, 28, -23.193492, 14.206766], ['float64', 2, 7, 14, 21.487499, 7.9949552]], ({'dtype': 'float64', 'shape': [2, 7, 2], 'values': [0.071510917, 0.18145375, -0.04047094, 0.42974656, 0.46587969, -0.73115922, -0.0010434285, -0.14554111, -0.060610133, 0.82988017, -0.21083038, 0.18662027, -0.12116462, -0.61445606, 0.080736777, -0.2063041, -0.21719029, 0.19722232, -0.34708417, -0.27405846, 0.41161963, 0.040922058, 0.15614907, -0.05601366, -0.028251303, 0.032750553, -0.11948232, -0.050934306]}, {'dtype': 'float64', 'shape': [2, 3, 2], 'values': [-0.14937583, 0.22687396, -0.35561294, 0.39452255, 0.36633574, 0.45920398, 0.10222884, 0.032974131, 0.34616318, 0.030315504, 0.71253249, 0.24063258]})),
        ([['float64', 2, 7, 3, 42, -1.3826079, 20.200303], ['float64', 2, 7, 3, 42, -28.163227, 23.139607], ['float64', 2, 7, 2, 28, -23.193492, 14.206766], ['float64', 2, 7, 14, 21.487499, 7.9949552], None], ({'dtype': 'float64', 'shape': [2, 7, 2], 'values': [0.071510917, 0.18145375, -0.04047094, 0.42974656, 0.46587969, -0.73115922, -0.0010434285, -0.14554111, -0.060610133, 0.82988017, -0.21083038, 0.18662027, -0.12116462, -0.61445606, 0.080736777, -0.2063041, -0.21719029, 0.19722232, -0.34708417, -0.27405846, 0.41161963, 0.040922058, 0.15614907, -0.05601366, -0.028251303, 0.032750553, -0.11948232, -0.050934306]}, {'dtype': 'float64', 'shape': [2, 3, 2], 'values': [-0.14937583, 0.22687396, -0.35561294, 0.39452255, 0.36633574, 0.45920398, 0.10222884, 0.032974131, 0.34616318, 0.030315504, 0.71253249, 0.24063258]})),
        ([['float64', 2, 7, 3, 42, -1.3826079, 20.200303], ['float64', 2, 7, 3, 42, -28.163227, 23.139607], ['float64', 2, 7, 2, 28, -23.193492, 14.206766], ['float64', 2, 7, 14, 21.487499, 7.9949552], ['float64', 2, 3, 2, 12, -2.6095328, 6.0145281]], ({'dtype': 'float64', 'shape': [2, 7, 2], 'values': [0.083805618, -0.21712572, 0.49611948, -0.15275728, 0.56274225, -0.71996594, 0.11474393, -0.09471857, -0.58554052, 0.63547914, -0.34311212, 0.14348423, -0.20701084, -0.550843, 0.63327749, -0.43997688, -0.66816888, 0.42136022, -0.33134676, -0.0078984272, 0.69071979, 0.23549745, 0.48898701, 0.15846989, -0.43403246, -0.42751632, 0.26887813, 0.071838918]}, {'dtype': 'float64', 'shape': [2, 3, 2], 'values': [-0.19644584, 0.26006389, -0.42501281, 0.35264196, 0.48932336, 0.46301485, -0.36557471, -0.053611004, 0.54439772, 0.41180517, 0.73341601, 0.21220217]})),
        ([['float64', 4, 3, 12, -1.6887327, 5.1597274], ['float64', 4, 3, 12, -3.6553424, 7.6187647], ['float64', 4, 2, 8, -2.3982468, 4.2335827], ['float64', 4, 4, 2.9666816, 1.9243276], None], ({'dtype': 'float64', 'shape': [4, 2], 'values': [0.071510917, 0.18145375, -0.04047094, 0.42974656, 0.46587969, -0.73115922, -0.0010434285, -0.14554111]}, {'dtype': 'float64', 'shape': [3, 2], 'values': [-0.13562794, 0.18252046, -0.35359529, 0.66774752, 0.39095058, -0.052394368]})),
        ([['float64', 2, 3, 4, 3, 72, 18.849995, 33.7396], ['float64', 2, 3, 4, 3, 72, -27.698168, 34.847412], ['float64', 2, 3, 4, 2, 48, -12.680659, 22.113802], ['float64', 2, 3, 4, 24, 44.755623, 13.368319], None], ({'dtype': 'float64', 'shape': [2, 3, 4, 2], 'values': [0.071510917, 0.18145375, -0.04047094, 0.42974656, 0.46587969, -0.73115922, -0.0010434285, -0.14554111, 0.011172644, 0.21786754, -0.16550259, 0.017087588, 0.20082719, -0.75550176, 0.2893656, 0.090925862, -0.17215409, 0.082142758, -0.39480982, -0.15210665, 0.36561575, 0.15847429, 0.079297482, 0.14036274, 0.12634594, -0.14168824, -0.10081217, 0.067402892, -0.034646605, -0.012386032, 0.37934181, -0.083407256, 0.2392956, -0.11138227, 0.57893912, -0.27052984, 0.15170195, -0.06735979, -0.14701155, 0.04057778, 0.012234153, 0.0054069085, 0.15146933, 0.12999047, -0.029783041, 0.051224623, -0.0011602342, -0.16535584]}, {'dtype': 'float64', 'shape': [2, 3, 3, 2], 'values': [-0.13562794, 0.18252046, -0.35359529, 0.66774752, 0.39095058, -0.052394368, -0.23887371, 0.32355177, -0.40099593, 0.35440536, 0.12579037, 0.64923081, 0.19592025, -0.1297451, 0.4732337, 0.17886261, 0.25070829, 0.15560929, 0.27058023, -0.39553681, -0.24084329, -0.27539356, 0.21881148, -0.0093316294, -0.064826054, -0.0071329191, 0.3505295, -0.12747036, 0.40029446, -0.21029497, -0.14286911, -0.22849791, 0.048299293, 0.21820822, 0.13749702, 0.18186064]})),
    ]
)


def assert_both(found, expected, **tolerance):
    assert_close(found[0], expected[0], **tolerance)
    assert_close(found[1], expected[1], **tolerance)


def in_two(function, given, *options, first=3):
    """A text in two calls, the second from where the first one ended."""
    early = [x[:, :first] for x in given]
    late = [x[:, first:] for x in given]
    one, state = function(*early, *options)
    other, state = function(*late, *options, state)
    return torch.cat([one, other], 1), state


def operations(function, args):
    """How many operations of torch a call takes; on the student's side."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Count(TorchDispatchMode):
        _should_skip_dynamo = classmethod(lambda cls: False)  # torch would load its compiler, for 1.6 s
        made = 0

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            self.made += 1
            return operation(*args, **(kwargs or {}))

    with Count() as count:
        function(*args)
    return count.made


LONG, CHUNK = 512, 128


def few_operations(student, function, given):
    """Fewer than there are tokens: whoever goes token by token takes more."""
    return place(student, operations)(function, [*given, CHUNK]) < LONG


def little_memory(student, function, given):
    """No tensor as large as half of n x n."""
    return measured(student, function, *given, CHUNK)[0] < LONG**2 // 2


def looks(student, function, given, right, *options):
    """What all four have in common, to be observed in this order."""
    expected = right(*given())
    started = right(*given(), state=a_state())

    def leading(batch):
        few = given(4, batch=batch)
        return same(function(*few, *options)[0], right(*few)[0])

    def twice():
        return same(in_two(function, given(), *options)[0], expected[0])

    return [
        (lambda: [list(part.shape) for part in function(*given(), *options)], [[2, 7, 2], [2, 3, 2]]),
        (lambda: function(*given(), *options)[0].double(), expected[0]),
        (lambda: function(*given(), *options)[1].double(), expected[1]),
        (lambda: function(*given(), *options, a_state())[0].double(), started[0]),
        (lambda: function(*given(), *options, a_state())[1].double(), started[1]),
        (lambda: attempt(twice) is True, True),
        (lambda: [attempt(leading, batch) is True for batch in [(), (2, 3)]], [True] * 2),
    ]


# recurrent_linear_attention -----------------------------------------------------------------------------------


@points(0.25, "recurrent_linear_attention", read="la-state", step="warm-up")
def test_two_tokens_by_hand(student, device):
    """첫 걸음에 4를 적고, 둘째 걸음에 절반을 잊은 다음 2를 더합니다. 0.5 · 4 + 2 = 4입니다."""
    key = torch.tensor([[1.0, 0.0], [1.0, 0.0]], device=device)
    value = torch.tensor([[4.0], [2.0]], device=device)
    decay = torch.tensor([0.0, math.log(0.5)], device=device)
    output, state = student.recurrent_linear_attention(key, key, value, decay)
    assert_close(output, torch.tensor([[4.0], [4.0]]))
    assert_close(state, torch.tensor([[4.0], [0.0]]))


@points(0.5, "recurrent_linear_attention", read="la-order")
def test_forgets_writes_and_reads(student):
    """잊고, 적고, 읽는 순서입니다. 자기 자신은 보이고 뒤의 토큰은 보이지 않습니다. 점수는 나누지 않습니다."""
    assert_both(student.recurrent_linear_attention(*without_beta()), summed(*without_beta()))


@observes("recurrent_linear_attention")
def observe_recurrent_linear_attention(student):
    attend = student.recurrent_linear_attention
    return up_to_the_first_wrong(
        *looks(student, attend, without_beta, summed),
        (lambda: bad_manners(student, attend, *without_beta(), a_state()), "none"),
    )




# chunked_linear_attention -------------------------------------------------------------------------------------


def strong():
    """Almost all is forgotten at each step."""
    query, key, value, log_decay = without_beta()
    return query, key, value, 1000 * log_decay


@points(0.25, "chunked_linear_attention", read="la-chunks", step="warm-up")
def test_three_tokens_in_chunks_of_two(student, device):
    """조각은 둘, 하나입니다. 셋째 토큰은 앞 조각의 상태 [4 · 0.5 + 2]의 절반에 1을 더해 읽습니다."""
    key = torch.tensor([[1.0, 0.0]] * 3, device=device)
    value = torch.tensor([[4.0], [2.0], [1.0]], device=device)
    decay = torch.tensor([1.0, 0.5, 0.5], device=device).log()
    output, state = student.chunked_linear_attention(key, key, value, decay, 2)
    assert_close(output, torch.tensor([[4.0], [4.0], [3.0]]))
    assert_close(state, torch.tensor([[3.0], [0.0]]))


@points(0.75, "chunked_linear_attention", read="la-chunks")
def test_same_as_token_by_token(student):
    """조각으로 나누어도 한 토큰씩 계산한 것과 같습니다. 조각 안에서 잊은 것, 조각에 들어올 때의 상태, 나갈 때의 상태를 모두 보십시오."""
    for chunk in (3, 2):
        assert_both(student.chunked_linear_attention(*without_beta(), chunk), summed(*without_beta()))


@observes("chunked_linear_attention")
def observe_chunked_linear_attention(student):
    attend = student.chunked_linear_attention

    def long():
        return [x[0] for x in without_beta(LONG, batch=(1,))]

    def right(chunk):
        return same(attend(*without_beta(), chunk)[0], summed(*without_beta())[0])

    def finite(chunk):
        return all(map(same, attend(*strong(), chunk), summed(*strong())))

    def unfaded():
        query, key, value, log_decay = without_beta()
        given = query, key, value, 0 * log_decay
        return all(map(same, attend(*given, 3), summed(*given)))

    return up_to_the_first_wrong(
        *looks(student, attend, without_beta, summed, 3),
        (lambda: attempt(unfaded) is True, True),
        (lambda: [attempt(right, chunk) is True for chunk in (1, 2, 7, 50)], [True] * 4),
        (lambda: attempt(finite, 1) is True, True),
        (lambda: attempt(finite, 3) is True, True),
        (lambda: finite_gradients(attend, *(x.float() for x in strong()), 7), True),
        (lambda: little_memory(student, attend, long()), True),
        (lambda: few_operations(student, attend, long()), True),
        (lambda: [how_refused(attend, *without_beta(), chunk) for chunk in (0, -1)], ["refused"] * 2),
        (lambda: bad_manners(student, attend, *without_beta(), 3, a_state()), "none"),
    )




# gated_delta_rule ---------------------------------------------------------------------------------------------


@points(0.25, "gated_delta_rule", read="la-delta", step="warm-up")
def test_overwrites_by_hand(student, device):
    """같은 키에 4를 적은 다음 2를 적으면 2만 남습니다. 둘째 걸음에서 모자란 것은 2 - 4 = -2입니다."""
    key = torch.tensor([[1.0, 0.0], [1.0, 0.0]], device=device)
    value = torch.tensor([[4.0], [2.0]], device=device)
    one = torch.ones(2, device=device)
    output, state = student.gated_delta_rule(key, key, value, one, 0 * one)
    assert_close(output, value.cpu())
    assert_close(state, torch.tensor([[2.0], [0.0]]))


@points(0.75, "gated_delta_rule", read="la-gated")
def test_forgets_looks_up_corrects_and_reads(student):
    """잊기, 그 키로 읽어 보기, 모자란 것의 beta배를 적기, 읽기의 순서입니다. 읽어 보는 것은 잊은 다음의 상태입니다."""
    assert_both(student.gated_delta_rule(*texts()), corrected(*texts()))


@observes("gated_delta_rule")
def observe_gated_delta_rule(student):
    rule = student.gated_delta_rule
    return up_to_the_first_wrong(
        *looks(student, rule, texts, corrected),
        (lambda: bad_manners(student, rule, *texts(), a_state()), "none"),
    )




# chunked_delta_rule -------------------------------------------------------------------------------------------


@points(0.25, "chunked_delta_rule", read="la-system", step="warm-up")
def test_overwrites_within_a_chunk(student, device):
    """한 조각 안에서 같은 키에 4와 2를 적습니다. 둘째가 적는 것은 2 - 4 = -2이고, 남는 것은 2입니다."""
    key = torch.tensor([[1.0, 0.0], [1.0, 0.0]], device=device)
    value = torch.tensor([[4.0], [2.0]], device=device)
    output, state = student.chunked_delta_rule(key, key, value, torch.ones(2, device=device), 2)
    assert_close(output, value.cpu())
    assert_close(state, torch.tensor([[2.0], [0.0]]))


@points(0.5, "chunked_delta_rule", read="la-system")
def test_same_as_correcting_token_by_token(student):
    """조각으로 계산해도 한 토큰씩 고쳐 적은 것과 같습니다. 앞에서 적은 것만 빼고(j < i), 자기까지 읽습니다(j ≤ i)."""
    for chunk in (3, 2):
        assert_both(student.chunked_delta_rule(*without_decay(), chunk), corrected(*without_decay()))


@observes("chunked_delta_rule")
def observe_chunked_delta_rule(student):
    rule = student.chunked_delta_rule

    def long():
        return [x[0] for x in without_decay(LONG, batch=(1,))]

    def right(chunk):
        return same(rule(*without_decay(), chunk)[0], corrected(*without_decay())[0])

    return up_to_the_first_wrong(
        *looks(student, rule, without_decay, corrected_without_decay, 3),
        (lambda: [attempt(right, chunk) is True for chunk in (1, 2, 7, 50)], [True] * 4),
        (lambda: little_memory(student, rule, long()), True),
        (lambda: few_operations(student, rule, long()), True),
        (lambda: [how_refused(rule, *without_decay(), chunk) for chunk in (0, -1)], ["refused"] * 2),
        (lambda: bad_manners(student, rule, *without_decay(), 3, a_state()), "none"),
    )


def corrected_without_decay(query, key, value, beta, state=None):
    return corrected(query, key, value, beta, state=state)
