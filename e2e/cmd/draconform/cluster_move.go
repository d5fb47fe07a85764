package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
)

func newClusterUpgrade() *cobra.Command {
	return newClusterMove("upgrade", "Upgrade a running cluster, or components of it, to a newer release", +1, `Upgrade a running cluster, or some of its components, to a newer release: the API
server first, then controller manager and scheduler, the kubelets one node after
the other, and the proxies. Each is ready before the next one's turn. Gates keep
their set: what it means in the new release.

Kubelets change under their pods: Kubernetes asks that nodes are drained before a
kubelet goes to another minor release. This is on purpose, to see what becomes of
running pods and their devices, and not for clusters that matter.`, `  draconform cluster upgrade --to 1.37
  draconform cluster upgrade --to 1.37 --component apiserver    # and hold the skew
  draconform cluster upgrade --to 1.37 --node draconform-worker`)
}

func newClusterDowngrade() *cobra.Command {
	return newClusterMove("downgrade", "Bring a running cluster, or components of it, back to an older release", -1, `Bring a running cluster, or some of its components, back to an older release, in
the reverse order of an upgrade: the proxies, the kubelets, scheduler and
controller manager, and at last the API server. Kubelets change under their pods.

Kubernetes does not support going back, and an older API server may find in etcd
what it cannot read. It is done here on purpose, to see what becomes of workloads,
and not for clusters that matter.`, `  draconform cluster downgrade --to 1.36
  draconform cluster downgrade --to 1.34 --node draconform-worker2`)
}

const changeHelp = `

Versions and gates that Kubernetes does not support together are refused before
anything changes, and so is leaving out a minor release of the API server; the exit
status is then 2. What a release runs is taken from its node image, which is pulled
or built if it is not at hand. A step that fails is put back as it was, the steps
before it stay, and the same command goes on from there; so it does if it was
interrupted.`

func newClusterMove(verb, short string, direction int, long, example string) *cobra.Command {
	c := &clusterChange{}
	var to string
	cmd := &cobra.Command{
		Use: verb, Short: short, Long: long + changeHelp, Example: example, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return usageError(fmt.Errorf("%q needs the release, such as --to %s", cmd.CommandPath(), clusters.Newest()))
			}
			var err error
			if c.want.Release, err = clusters.FindRelease(to); err != nil {
				return usageError(err)
			}
			if err := c.readComponents(); err != nil {
				return err
			}
			c.against = func(s change.State) error { return wrongWay(s, c.want, direction) }
			return c.run(cmd)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "Kubernetes release, such as 1.37")
	c.addComponents(cmd)
	c.addFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(releaseNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// wrongWay returns an error if the change is in the opposite direction of the
// command: the API server would move in the other direction, or no component
// would move in the direction of the command. Other components of a mixed
// cluster may move in either direction.
func wrongWay(s change.State, w change.Want, direction int) error {
	var wrong error
	for _, r := range s { // The API server is the first instance.
		if !w.Chooses(r.Instance) {
			continue
		}
		way := direction * semver.Compare("v"+w.Release.Version, "v"+r.Release.Version)
		if way > 0 {
			return nil
		}
		if way < 0 && wrong == nil {
			wrong = otherWay(r, w.Release, direction)
		}
		if way < 0 && r.Component == change.APIServer {
			return wrong
		}
	}
	return wrong
}

func otherWay(r change.Running, to clusters.Release, direction int) error {
	is, other := "newer", "downgrade"
	if direction < 0 {
		is, other = "older", "upgrade"
	}
	return fmt.Errorf("%s runs %s, which is %s than %s: that is for \"draconform cluster %s\"; --component and --node choose what else to change",
		r.Instance, r.Release.Version, is, to.Version, other)
}
