package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
)

// running is a cluster that a command reads or changes.
type running struct{ name, kubeconfig string }

func (r *running) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.name, "name", kind.DefaultName, "name of the cluster")
	cmd.Flags().StringVar(&r.kubeconfig, "kubeconfig", "", "file that has the cluster's context (default as kubectl)")
	_ = cmd.RegisterFlagCompletionFunc("name", completeClusters)
}

func (r *running) find(cmd *cobra.Command) (*kind.Provider, error) {
	e, err := engine.Find(cmd.Context())
	if err != nil {
		return nil, err
	}
	return kind.Find(cmd.Context(), e, r.name, r.kubeconfig)
}

// clusterChange is a command that changes a running cluster.
type clusterChange struct {
	running
	want       change.Want
	components []string
	dryRun     bool
	// against says, with what runs, why the command is the wrong one; nil if it never is.
	against func(change.State) error
}

func (c *clusterChange) addFlags(cmd *cobra.Command) {
	c.running.addFlags(cmd)
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "only print the steps")
}

// addComponents adds the flags that choose what is changed.
func (c *clusterChange) addComponents(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&c.components, "component", nil, "components to change: "+strings.Join(change.ComponentNames(), ", ")+" (default all; with --node, kubelet)")
	cmd.Flags().StringSliceVar(&c.want.Nodes, "node", nil, "nodes whose kubelets to change (default all)")
	_ = cmd.RegisterFlagCompletionFunc("component", completeList(change.ComponentNames()))
}

// readComponents checks the flags of addComponents.
func (c *clusterChange) readComponents() error {
	if len(c.want.Nodes) > 0 && len(c.components) == 0 {
		c.components = []string{string(change.Kubelet)}
	}
	var err error
	if c.want.Components, err = change.ParseComponents(c.components...); err != nil {
		return usageError(err)
	}
	if len(c.want.Nodes) > 0 && !slices.Contains(c.want.Components, change.Kubelet) {
		return usageError(errors.New("--node chooses kubelets, but --component names none"))
	}
	return nil
}

// run plans and takes the steps.
func (c *clusterChange) run(cmd *cobra.Command) error {
	p, err := c.find(cmd)
	if err != nil {
		return err
	}
	state, err := change.Read(cmd.Context(), p)
	if err != nil {
		return err
	}
	if c.against != nil {
		if err := c.against(state); err != nil {
			return usageError(err)
		}
	}
	steps, err := state.Plan(c.want)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if len(steps) == 0 {
		fmt.Fprintln(out, "nothing to do: it is so already")
		return nil
	}
	if c.dryRun {
		for _, s := range steps {
			fmt.Fprintln(out, s)
		}
		return c.foreseeImage(cmd, p)
	}
	reporter := progress.New(out)
	st := reporter.Stage("cluster %s: %d steps", c.name, len(steps))
	if err := change.Apply(cmd.Context(), p, steps, change.Options{Progress: reporter}); err != nil {
		return st.Fail(fmt.Errorf("%w\nthe steps before it stay; the same command goes on from there", err))
	}
	st.Done("")
	return nil
}

// foreseeImage says whether the node image that a release comes from is at hand.
func (c *clusterChange) foreseeImage(cmd *cobra.Command, p *kind.Provider) error {
	if c.want.Release == (clusters.Release{}) {
		return nil
	}
	image, found, err := nodeimage.Find(cmd.Context(), nodeimage.Options{Engine: p.Engine(), Release: c.want.Release})
	if err != nil {
		return err
	}
	if found {
		fmt.Fprintf(cmd.OutOrStdout(), "with what is in node image %s\n", image.Ref)
	} else {
		fmt.Fprintf(cmd.OutOrStdout(), "the node image of %s is not at hand: it would be pulled or built first\n", c.want.Release.Version)
	}
	return nil
}

func newClusterUpgrade() *cobra.Command {
	return newClusterMove("upgrade", "Upgrade a running cluster, or components of it, to a newer release", +1, `Upgrade a running cluster, or some of its components, to a newer release: the API
server first, then controller manager and scheduler, the kubelets one node after
the other, and the proxies. Each is ready before the next one's turn. Gates keep
their set: what it means in the new release.`, `  draconform cluster upgrade --to 1.37
  draconform cluster upgrade --to 1.37 --component apiserver    # and hold the skew
  draconform cluster upgrade --to 1.37 --node draconform-worker`)
}

func newClusterDowngrade() *cobra.Command {
	return newClusterMove("downgrade", "Bring a running cluster, or components of it, back to an older release", -1, `Bring a running cluster, or some of its components, back to an older release, in
the reverse order of an upgrade: the proxies, the kubelets, scheduler and
controller manager, and at last the API server. Kubernetes does not support it
for clusters that matter: an older API server may find in etcd what it cannot
read.`, `  draconform cluster downgrade --to 1.36
  draconform cluster downgrade --to 1.34 --node draconform-worker2`)
}

const changeHelp = `

What Kubernetes does not support is refused before anything changes: leaving out
a minor release of the API server, or versions that may not meet. What a release
runs is taken from its node image, which is pulled or built if it is not at hand.
A step that fails is put back as it was, the steps before it stay, and the same
command goes on from there; so it does if it was interrupted.`

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

// wrongWay is why what was chosen would go the other way than the command's name says. What a change that was interrupted
// has changed already is no reason.
func wrongWay(s change.State, w change.Want, direction int) error {
	for _, r := range s {
		if !slices.Contains(w.Components, r.Component) || r.Component == change.Kubelet && len(w.Nodes) > 0 && !slices.Contains(w.Nodes, r.Node) {
			continue
		}
		if semver.Compare("v"+w.Release.Version, "v"+r.Release.Version)*direction < 0 {
			name, other := "newer", "downgrade"
			if direction < 0 {
				name, other = "older", "upgrade"
			}
			return fmt.Errorf("%s runs %s, which is %s than %s: that is for \"draconform cluster %s\"", r.Instance, r.Release.Version, name, w.Release.Version, other)
		}
	}
	return nil
}
