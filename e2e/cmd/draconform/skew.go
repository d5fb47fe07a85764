package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/doctor"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/run"
)

// journeyCommand is the hidden command that skew starts for each journey.
const journeyCommand = "run-journey"

func newSkew() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "skew",
		Short: "Go on journeys: upgrade, downgrade and break clusters under their workloads",
		Long: `Go on journeys. Each is a spec that has a kind cluster of its own, in the release
and with the feature gates that it begins with, and changes it stop by stop while
workloads run: releases of components, feature gates, the scheduler, the driver.
After each stop, pods that ran before must still run with the same devices, one of
their containers must survive its end, and no object may be lost or emptied.

The run has a folder with report.yaml, report.html and evidence.md of all journeys,
and below journeys a folder of each. As of "draconform run", the exit status is 0 only
with a passed verdict, 1 with any other, and 2 if flags or arguments are wrong.`,
		Example: `  draconform skew
  draconform skew --id counters-move-to-their-own-slice --keep
  draconform skew --requirement 4816 --fail-fast
  draconform skew --dry-run`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.dryRun {
				return printJourneys(cmd, o)
			}
			return travel(cmd, o)
		},
	}
	f := cmd.Flags()
	addSelection(cmd, &o.Selection, journeys.All())
	f.StringVar(&o.Scheduler, "scheduler", "", "scheduler of all journeys that are not about schedulers: kube-scheduler or draconform (default each journey's)")
	_ = cmd.RegisterFlagCompletionFunc("scheduler", cobra.FixedCompletions([]string{kind.KubeScheduler, kind.DraconformScheduler}, cobra.ShellCompDirectiveNoFileComp))
	f.BoolVar(&o.FailFast, "fail-fast", false, "end with the first journey that fails; those after it are skipped")
	f.BoolVar(&o.Keep, "keep", false, "leave the clusters as they are")
	f.StringVar(&o.Dir, "artifacts", "_artifacts", "folder that receives a folder for each run")
	f.Float64Var(&o.TimeoutScale, "timeout-scale", 1, "stretch the waits of journeys, and of the changes that they make, by this factor, for slow machines")
	f.BoolVar(&o.dryRun, "dry-run", false, "only print the journeys and their stops")
	addOutput(cmd, &o.output, "yaml")
	f.Lookup("output").Usage = "format of a dry run: table, json, yaml"
	return cmd
}

// travel runs the journeys and prints the verdict.
func travel(cmd *cobra.Command, o runOptions) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	o.Version, o.Flags, o.Progress = version(), again(cmd.Flags()), progress.New(cmd.OutOrStdout())
	got, err := run.Journeys(cmd.Context(), o.Config, journeys.With(o.Scheduler), func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, program, journeyCommand)
	}, checkMemory, cmd.OutOrStdout())
	return tellVerdict(cmd, got, err)
}

// checkMemory uses the memory of the engine's host. If it is unknown, it returns an
// empty string and an error shows only in the journey.
func checkMemory(ctx context.Context, workers int) string {
	e, err := engine.Find(ctx)
	if err != nil {
		return ""
	}
	info, err := e.Info(ctx)
	if err != nil {
		return ""
	}
	return doctor.NoRoom(info.MemoryBytes, workers)
}

func newRunJourney() *cobra.Command {
	return &cobra.Command{
		Use: journeyCommand, Hidden: true, Args: noArgs,
		Short: "Run one journey for another process",
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := run.Journey(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), journeys.All())
			return tellVerdict(cmd, got, err)
		},
	}
}
