// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/skew"
)

// schedulerFlag is the flag with the wanted scheduler.
const schedulerFlag = "set"

// changeableSchedulers are the schedulers that a cluster can have.
var changeableSchedulers = []string{skew.KubeScheduler, skew.DraconformScheduler}

func newClusterScheduler() *cobra.Command {
	c := &clusterChange{}
	cmd := &cobra.Command{
		Use:   "scheduler",
		Short: "Change the scheduler of a running cluster",
		Long: `Change the scheduler of a running cluster: the kube-scheduler of its release, or the
bundled scheduler, which has the same flags and permissions and emulates the
release. The bundled scheduler is built from a checkout.

Without --set, the first argument is the scheduler, and the second one the name of the
cluster.`,
		Example: `  draconform cluster scheduler --set draconform
  draconform cluster scheduler --set kube-scheduler
  draconform cluster scheduler kube-scheduler`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.want.Components = []skew.Component{skew.Scheduler}
			return c.run(cmd)
		},
	}
	c.addFlags(cmd)
	cmd.Flags().StringVar(&c.want.Scheduler, schedulerFlag, "", "scheduler: "+strings.Join(changeableSchedulers, " or "))
	_ = cmd.RegisterFlagCompletionFunc(schedulerFlag, cobra.FixedCompletions(changeableSchedulers, cobra.ShellCompDirectiveNoFileComp))
	cmd.ValidArgsFunction = completeScheduler
	cmd.Args = c.schedulerArgs
	return cmd
}

// schedulerArgs takes the scheduler from the first argument, unless a flag has it, and
// then the name of the cluster.
func (c *clusterChange) schedulerArgs(cmd *cobra.Command, args []string) error {
	if !cmd.Flags().Changed(schedulerFlag) {
		if len(args) == 0 {
			return usageError(fmt.Errorf("%q needs --set, such as --set %s", cmd.CommandPath(), skew.DraconformScheduler))
		}
		c.want.Scheduler, args = args[0], args[1:]
	}
	if !slices.Contains(changeableSchedulers, c.want.Scheduler) {
		return usageError(fmt.Errorf("scheduler %q is not known, use %s", c.want.Scheduler, strings.Join(changeableSchedulers, " or ")))
	}
	if len(args) > 1 {
		return usageError(fmt.Errorf("%q takes the name of a cluster, see \"%s --help\"", cmd.CommandPath(), cmd.CommandPath()))
	}
	return setClusterName(cmd, &c.name, args)
}

// completeScheduler completes the scheduler, unless a flag has it, and then the name of
// the cluster.
func completeScheduler(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if !cmd.Flags().Changed(schedulerFlag) {
		if len(args) == 0 {
			return changeableSchedulers, cobra.ShellCompDirectiveNoFileComp
		}
		args = args[1:]
	}
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeClusters(cmd, args, typed)
}
