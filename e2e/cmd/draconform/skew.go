// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/doctor"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/internal/version"
)

// journeyCommand is the hidden command that skew starts for each journey.
const journeyCommand = "run-journey"

func newSkew() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "skew",
		Short: "Run journeys, which upgrade, downgrade and disrupt clusters while workloads run",
		Long: `Run journeys. A journey is a spec with its own kind cluster, which it changes step
by step while workloads run: releases of components, feature gates, the scheduler,
the driver. After each step, running pods must have the same devices, one of their
containers is killed and must be restarted, and no object may be lost or emptied.
A journey that passed and has restored its cluster leaves it to the next one that
starts with such a cluster. Journeys of legacy releases, which need node images of their
own, run only if flags select journeys.

The run has a folder with report.yaml, report.html and evidence.md of all journeys,
and a folder for each journey in its folder journeys. With --parallel, each line of a
journey's output begins with its id; if this machine has too few resources for so many
clusters, no journey runs.

Exit status: 0 if the verdict is passed or undecided, 1 if it is failed or incomplete,
and 2 if flags or arguments are invalid.`,
		Example: `  draconform skew
  draconform skew --id counters-move-to-their-own-slice --keep
  draconform skew --requirement 4816 --fail-fast
  draconform skew --parallel 2
  draconform skew --dry-run`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.dryRun {
				return printJourneys(cmd, o)
			}
			return runJourneys(cmd, o)
		},
	}
	f := cmd.Flags()
	addSelection(cmd, &o.Selection, journeys.All())
	f.StringVar(&o.Scheduler, "scheduler", "", "scheduler of all journeys that are not about schedulers: kube-scheduler or draconform (default each journey's)")
	_ = cmd.RegisterFlagCompletionFunc("scheduler", cobra.FixedCompletions([]string{skew.KubeScheduler, skew.DraconformScheduler}, cobra.ShellCompDirectiveNoFileComp))
	f.IntVar(&o.Parallel, "parallel", 1, "number of journeys at the same time, each in its own cluster")
	f.BoolVar(&o.FailFast, "fail-fast", false, "start no more journeys after the first that failed")
	f.BoolVar(&o.Keep, "keep", false, "keep the clusters")
	f.StringVar(&o.Dir, "artifacts", artifactsFolder, "parent folder of the folders of runs")
	f.Float64Var(&o.TimeoutScale, "timeout-scale", 1, "factor for the timeouts of journeys, for slow machines")
	addDryRun(cmd, &o.dryRun, &o.output, "table", "only print the journeys and their steps")
	return cmd
}

// runJourneys runs the journeys and prints the verdict.
func runJourneys(cmd *cobra.Command, o runOptions) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the executable: %w", err)
	}
	o.Version, o.Flags, o.Progress = version.String(), reproduceFlags(cmd.Flags()), progress.New(cmd.OutOrStdout())
	got, err := run.Journeys(cmd.Context(), o.Config, o.journeys(), func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, program, journeyCommand)
	}, doctor.NoRoom, cmd.OutOrStdout())
	return printVerdict(cmd, got, err)
}

func newRunJourney() *cobra.Command {
	return &cobra.Command{
		Use: journeyCommand, Hidden: true, Args: noArgs,
		Short: "Run one journey for another process",
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := run.Journey(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), journeys.All())
			return printVerdict(cmd, got, err)
		},
	}
}
