// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
)

func newClusterUpgrade() *cobra.Command {
	return newClusterMove("upgrade", "Upgrade a running cluster or some components to a newer release", +1, `Upgrade a running cluster or some of its components to a newer release: the API
server first, then controller manager and scheduler, the kubelets one node after
the other, and the proxies. Each is ready before the next one is upgraded. A named
set of gates keeps its name.

Kubelets are upgraded without a drain, to test running pods and their devices.
Kubernetes requires that nodes are drained before a kubelet changes its minor
release, so do not use this command for other clusters than test clusters.`, `  draconform cluster upgrade --to 1.37
  draconform cluster upgrade --to 1.37 --component apiserver    # keeps the skew
  draconform cluster upgrade --to 1.37 --node draconform-worker`)
}

func newClusterDowngrade() *cobra.Command {
	return newClusterMove("downgrade", "Downgrade a running cluster or some components to an older release", -1, `Downgrade a running cluster or some of its components to an older release, in the
reverse order of an upgrade: the proxies, the kubelets, scheduler and controller
manager, and finally the API server. Kubelets are downgraded without a drain.

Kubernetes does not support downgrades, and an older API server may not be able to
read all objects in etcd. Downgrades test running workloads, so do not use this
command for other clusters than test clusters.`, `  draconform cluster downgrade --to 1.36
  draconform cluster downgrade --to 1.34 --node draconform-worker2`)
}

const changeHelp = `

Combinations of versions and gates that Kubernetes does not support, and changes of
the API server that skip a minor release, are rejected with exit status 2 before
anything changes. The components of a release are taken from its node image, which
is pulled or built if it is not available. A failed step is reverted. Completed
steps are kept, and the same command continues after a failure or an interruption.`

func newClusterMove(verb, short string, direction int, long, example string) *cobra.Command {
	c := &clusterChange{}
	var to string
	cmd := &cobra.Command{
		Use: verb, Short: short, Long: long + changeHelp, Example: example,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return usageError(fmt.Errorf("%q needs --to, such as --to %s", cmd.CommandPath(), clusters.Newest()))
			}
			var err error
			if c.want.Release, err = clusters.FindRelease(to); err != nil {
				return usageError(err)
			}
			if err := c.readComponents(); err != nil {
				return err
			}
			c.check = func(s skew.State) error { return checkDirection(s, c.want, direction) }
			return c.run(cmd)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "Kubernetes release, such as 1.37")
	c.addComponents(cmd)
	c.addFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(releaseNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// checkDirection returns an error if the change is in the opposite direction of
// the command: the API server would move in the other direction, or no
// component would move in the direction of the command. Other components of a
// mixed cluster may move in either direction.
func checkDirection(s skew.State, w skew.Want, direction int) error {
	var firstErr error
	for _, r := range s { // The API server is the first instance.
		if !w.Chooses(r.Instance) {
			continue
		}
		sign := direction * semver.Compare("v"+w.Release.Version, "v"+r.Release.Version)
		if sign > 0 {
			return nil
		}
		if sign < 0 && firstErr == nil {
			firstErr = directionError(r, w.Release, direction)
		}
		if sign < 0 && r.Component == skew.APIServer {
			return firstErr
		}
	}
	return firstErr
}

func directionError(r skew.Running, to clusters.Release, direction int) error {
	is, other := "newer", "downgrade"
	if direction < 0 {
		is, other = "older", "upgrade"
	}
	return fmt.Errorf("%s runs %s, which is %s than %s: use \"draconform cluster %s\", or select other components with --component and --node",
		r.Instance, r.Release.Version, is, to.Version, other)
}
