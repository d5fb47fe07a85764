// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
)

// clusterChange is a command that changes a running cluster.
type clusterChange struct {
	name       string
	want       skew.Want
	components []string
	timeout    time.Duration
	dryRun     bool
	output     string
	// check returns an error if the state of the cluster does not allow the
	// command. Nil means that every state allows it.
	check func(skew.State) error
}

func (c *clusterChange) addFlags(cmd *cobra.Command) {
	addClusterName(cmd, &c.name)
	addClusterKubeconfig(cmd, "file with the context of the cluster (default as kubectl)")
	cmd.Flags().DurationVar(&c.timeout, "timeout", change.DefaultTimeout, "time limit of each step, and of reverting it")
	addDryRun(cmd, &c.dryRun, &c.output, "text", "only print the steps")
}

// addComponents adds the flags that select components and nodes.
func (c *clusterChange) addComponents(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&c.components, "component", nil, "components to change: "+strings.Join(skew.ComponentNames(), ", ")+" (default all; with --node, kubelet)")
	cmd.Flags().StringSliceVar(&c.want.Nodes, "node", nil, "nodes whose kubelets to change (default all)")
	_ = cmd.RegisterFlagCompletionFunc("component", completeList(skew.ComponentNames()))
	_ = cmd.RegisterFlagCompletionFunc("node", c.completeNodes)
}

// completeNodes completes nodes of the cluster that preceding flags name.
func (c *clusterChange) completeNodes(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	p, err := findCluster(cmd, c.name)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	nodes, err := p.NodeNames(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeList(nodes)(cmd, args, typed)
}

// readComponents validates the flags of addComponents.
func (c *clusterChange) readComponents() error {
	if len(c.want.Nodes) > 0 && len(c.components) == 0 {
		c.components = []string{string(skew.Kubelet)}
	}
	var err error
	if c.want.Components, err = skew.ParseComponents(c.components...); err != nil {
		return usageError(err)
	}
	if len(c.want.Nodes) > 0 && !slices.Contains(c.want.Components, skew.Kubelet) {
		return usageError(errors.New("--node selects kubelets, but --component does not include them"))
	}
	return nil
}

// run plans and executes the steps.
func (c *clusterChange) run(cmd *cobra.Command) error {
	if c.timeout <= 0 {
		return usageError(fmt.Errorf("--timeout must be positive, not %s", c.timeout))
	}
	p, err := findCluster(cmd, c.name)
	if err != nil {
		return err
	}
	state, err := change.Read(cmd.Context(), p)
	if err != nil {
		return err
	}
	steps, err := c.plan(state)
	if err != nil {
		return err
	}
	if c.dryRun {
		planned := plannedChange{Steps: plannedSteps(steps)}
		if len(steps) > 0 {
			if planned.NodeImage, err = c.nodeImage(cmd.Context(), p); err != nil {
				return err
			}
		}
		return planned.print(cmd, c.output)
	}
	if len(steps) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), nothingToChange)
		return nil
	}
	reporter := progress.New(cmd.OutOrStdout())
	st := reporter.Task("cluster %s: %d steps", c.name, len(steps))
	completed := 0
	err = change.Reach(cmd.Context(), p, state, c.want, change.Options{
		Timeout: c.timeout, Progress: reporter,
		After: func(context.Context, skew.Step) error { completed++; return nil },
	})
	if err != nil {
		return st.Fail(withResumeHint(err, completed))
	}
	st.Done("")
	return nil
}

// plan returns the steps from the current state. Its errors are usage errors,
// because nothing has been changed.
func (c *clusterChange) plan(state skew.State) ([]skew.Step, error) {
	if c.check != nil {
		if err := c.check(state); err != nil {
			return nil, usageError(err)
		}
	}
	steps, err := state.Plan(c.want)
	if err != nil {
		return nil, usageError(err)
	}
	return steps, nil
}

// withResumeHint adds to an error that the completed steps are kept.
func withResumeHint(err error, completed int) error {
	if completed == 0 {
		return err
	}
	return fmt.Errorf("%w\ncompleted steps are kept; the same command continues with the failed step", err)
}

// nodeImage returns the node image of the target release, or nil if the release is
// not changed.
func (c *clusterChange) nodeImage(ctx context.Context, p *kind.Provider) (*plannedImage, error) {
	if c.want.Release == (clusters.Release{}) {
		return nil, nil
	}
	image, found, err := nodeimage.Find(ctx, nodeimage.Options{Engine: p.Engine(), Release: c.want.Release})
	if err != nil {
		return nil, err
	}
	planned := &plannedImage{Version: c.want.Release.Version}
	if found {
		planned.Name = image.Ref
	}
	return planned, nil
}
