// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/run"
)

func newCluster() *cobra.Command {
	cmd := &cobra.Command{Use: "cluster", Short: "Create, change and delete kind clusters for DRA", Args: noArgs, RunE: printHelp}
	cmd.AddCommand(newClusterCreate(), newClusterList(), newClusterDelete(), newClusterLoad(), newClusterLogs(),
		newClusterStatus(), newClusterUpgrade(), newClusterDowngrade(), newClusterGates(), newClusterScheduler())
	return cmd
}

func newClusterCreate() *cobra.Command {
	var o kind.Options
	var release, gateSet string
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create a cluster and make its context current",
		Long: `Create a kind cluster of any supported release, with any DRA feature gates and one of
two schedulers, and make its context current in the kubeconfig. The node image is
pulled, or built if no registry answers. "draconform run --provider existing
--kind-cluster NAME" runs specs in the cluster.

Exit status: 0 if the nodes are ready; 1 if not, and the cluster is removed; 2 if flags
or arguments are invalid, or if this machine is too small for one more cluster.`,
		Example: `  draconform cluster create
  draconform cluster create test --release 1.36 --gates alpha --workers 1
  draconform cluster create --scheduler draconform --serve resource.k8s.io/v1beta2`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Release, err = findRelease(release); err != nil {
				return usageError(err)
			}
			if o.Gates, err = gates.Parse(gateSet, o.Release); err != nil {
				return usageError(err)
			}
			if err := kind.CheckServed(o.Serve); err != nil {
				return usageError(err)
			}
			if err := skew.CheckScheduler(o.Scheduler, o.Release, o.Gates); err != nil {
				return usageError(err)
			}
			e, err := engine.Find(cmd.Context())
			if err != nil {
				return err
			}
			if err := run.CheckRoom(cmd.Context(), e, o.Workers); err != nil {
				return usageError(err)
			}
			o.Run, _ = run.NewID()
			o.Progress = progress.New(cmd.OutOrStdout())
			p := kind.New(e, o)
			kubeconfig, err := p.Create(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "context %s in %s\n", p.GetKubectlContext(), kubeconfig)
			return nil
		},
	}
	f := cmd.Flags()
	addClusterName(cmd, &o.Name)
	cmd.ValidArgsFunction = cobra.NoFileCompletions // The name is a new one.
	f.StringVar(&release, "release", "", "Kubernetes release, such as 1.37 (default the newest supported)")
	f.StringVar(&gateSet, "gates", "default", gatesHelp)
	f.StringSliceVar(&o.Serve, "serve", nil, serveHelp)
	f.StringVar(&o.Scheduler, "scheduler", skew.KubeScheduler, schedulerHelp)
	f.IntVar(&o.Workers, "workers", kind.DefaultWorkers, "number of worker nodes")
	f.StringVar(&o.Image, "node-image", "", "node image (default the release's)")
	f.IntVar(&o.SchedulerVerbosity, "scheduler-verbosity", kind.DefaultSchedulerVerbosity, "log level of the scheduler's DRA code; negative for none")
	f.StringVar(&o.Kubeconfig, kubeconfigFlag, "", "file that receives the context (default as kubectl)")
	f.DurationVar(&o.ReadyTimeout, "ready-timeout", kind.DefaultReadyTimeout, "time limit for the nodes to become ready")
	completeGates(cmd)
	return cmd
}

func newClusterList() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the clusters that draconform created",
		Example: `  draconform cluster list
  draconform cluster list -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := engine.Find(cmd.Context())
			if err != nil {
				return err
			}
			found, err := kind.List(cmd.Context(), e)
			if err != nil {
				return err
			}
			if done, err := printStructured(cmd, output, found); done {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "CLUSTER\tSTATE\tRUN\tNODES")
			for _, c := range found {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.Name, c.State, c.Run, strings.Join(c.Nodes, ","))
			}
			return w.Flush()
		},
	}
	addOutput(cmd, &output)
	return cmd
}

func newClusterDelete() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:     "delete NAME",
		Short:   "Delete a cluster that draconform created",
		Example: `  draconform cluster delete draconform`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := findCluster(cmd, name)
			if err != nil {
				return err
			}
			st := progress.New(cmd.OutOrStdout()).Task("remove cluster %s", name)
			if err := p.Destroy(cmd.Context()); err != nil {
				return st.Fail(err)
			}
			st.Done("")
			return nil
		},
	}
	requireClusterName(cmd, &name, 0, 0, "the name of a cluster")
	addClusterKubeconfig(cmd, "file from which the context of the cluster is removed (default as kubectl)")
	return cmd
}

func newClusterLogs() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:     "logs NAME FOLDER",
		Short:   "Write the logs of a cluster's nodes into a folder",
		Example: `  draconform cluster logs draconform logs/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := afterName(cmd, args)[0]
			p, err := findCluster(cmd, name)
			if err != nil {
				return err
			}
			if err := p.ExportLogs(cmd.Context(), folder); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "logs of cluster %s in %s\n", name, folder)
			return nil
		},
	}
	requireClusterName(cmd, &name, 1, 1, "the name of a cluster and a folder")
	return cmd
}

func findCluster(cmd *cobra.Command, name string) (*kind.Provider, error) {
	e, err := engine.Find(cmd.Context())
	if err != nil {
		return nil, err
	}
	kubeconfig, _ := cmd.Flags().GetString(kubeconfigFlag) // Empty if the command does not have the flag.
	return kind.Find(cmd.Context(), e, name, kubeconfig)
}

// completeClusters completes the name of a cluster as the first argument.
func completeClusters(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return clusterNames(cmd, args, "")
}

// clusterNames completes the names of the clusters in the container engine.
func clusterNames(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	e, err := engine.Find(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	found, err := kind.List(cmd.Context(), e)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []cobra.Completion
	for _, c := range found {
		names = append(names, c.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// findRelease returns the named release, or the newest if the name is empty.
func findRelease(name string) (clusters.Release, error) {
	if name == "" {
		return clusters.Newest(), nil
	}
	return clusters.FindRelease(name)
}

func releaseNames() []string {
	var names []string
	for _, r := range clusters.All() {
		names = append(names, r.Minor)
	}
	return names
}
