#!/usr/bin/env bash
# sbatch docs/cluster/slurm.sh EXERCISE CLASS      in the course's checkout, on a file system that all nodes share
#SBATCH --job-name=grading
#SBATCH --ntasks=32
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time=01:00:00
set -euo pipefail
exercise=$1 class=$2
where=$PWD/scheduler.$SLURM_JOB_ID.json
export PATH=$PWD/.venv/bin:$PATH OMP_NUM_THREADS=1
trap 'kill $(jobs -p) 2>/dev/null; rm -f "$where"' EXIT

dask scheduler --host "$(hostname -i)" --scheduler-file "$where" --no-dashboard &
while [ ! -s "$where" ]; do sleep 1; done
# One task grades and writes; each other one is a judge.
srun --ntasks=$((SLURM_NTASKS - 1)) dask worker --scheduler-file "$where" --nthreads 1 --no-dashboard &
address=$(python -c 'import json, sys; print(json.load(open(sys.argv[1]))["address"])' "$where")
grader autograde "$exercise" --class "$class" --cluster "$address"
