// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/job/results"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/internal/version"
)

// errVerdict states that the verdict of a run is failed or incomplete. The output
// already reports it.
var errVerdict = errors.New("the verdict is failed or incomplete")

// artifactsFolder is the default parent folder of the folders of runs.
const artifactsFolder = "_artifacts"

// runOptions are the flags of a run.
type runOptions struct {
	run.Config
	keepGoing, dryRun  bool
	output, resultsDir string
}

func newRun() *cobra.Command { return new(runOptions).command() }

// command returns the command that runs with these options.
func (o *runOptions) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the specs and write a report with a verdict",
		Long: `Run the specs and write a report with a verdict.

With --provider kind, a cluster is created for the run and deleted afterwards.
With --provider control-plane, the run starts etcd, kube-apiserver,
kube-controller-manager and a scheduler as processes of this machine, without a
container engine and without root. The nodes are simulated: specs that need running
containers are not applicable.
With --provider existing, the specs run in the cluster of the kubeconfig's
context. The objects that the run creates there have the label draconform.dev/run
and are deleted afterwards. Other objects are not changed. The images are those of
the release of draconform, or of a mirror of them (see "draconform images list"). If
draconform is no release, they must be on the nodes, or be set by flags. In a pod
without a kubeconfig, it is the cluster of the pod: see "draconform job".

With --driver, the drivers of driver files are judged, which run in the cluster
(see "draconform driver"). The run does with them only what the files allow. First,
the files are compared with the cluster as by "draconform driver check --live": if
specs would fail for another reason than the drivers, nothing is created and the exit
status is 2.

Every run has a folder with report.yaml, the same content as report.html and
evidence.md, junit_01.xml, ginkgo_01.log and, after a failure, the objects of each
failed spec and the logs of the nodes.

The verdict has the conformance of each profile. A skipped spec of a claimed
profile fails the run. Without --claim, a run claims the profiles of which no spec
is excluded.

A dry run creates nothing and prints which specs can run, and why others cannot.
An existing cluster is inspected, with dry-run writes only. The features of a cluster
of the run follow from its release and feature gates.

Exit status: 0 if the verdict is passed or undecided, 1 if it is failed or incomplete,
and 2 if the run has not started.`,
		Example: `  draconform run
  draconform run --release 1.35 --gates alpha --keep
  draconform run --provider control-plane --scheduler draconform
  draconform run --provider control-plane --scheduler-binary ./my-scheduler --scheduler-config config.yaml
  draconform run --profile partitioning,prioritized-list --fail-fast
  draconform run --provider existing --context my-cluster --dry-run
  draconform run --provider existing --context my-cluster --labels partitioning
  draconform run --provider existing --claim partitioning
  draconform run --driver my-driver.yaml --dry-run
  draconform run --driver my-driver.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.dryRun {
				return dryRun(cmd, o.Config, o.output)
			}
			if o.resultsDir != "" {
				return o.runForResults(cmd)
			}
			return runSpecs(cmd, o.Config)
		},
	}
	o.addFlags(cmd)
	known := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := known(cmd, args); err != nil {
			return err
		}
		o.setParallel(cmd)
		return o.check(cmd)
	}
	return cmd
}

// setParallel sets the number of processes to the default of the provider.
func (o *runOptions) setParallel(cmd *cobra.Command) {
	switch {
	case cmd.Flags().Changed("parallel"):
	case o.Provider == run.ControlPlane:
		o.Parallel = run.DefaultParallelControlPlane
	default:
		o.Parallel = run.DefaultParallel
	}
}

func (o *runOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Provider, "provider", "", "where the specs run: kind, control-plane or existing (default kind, and existing with --driver)")
	f.StringArrayVar(&o.Drivers, "driver", nil, "driver file of a driver that runs in the cluster and is judged instead of the fake drivers; repeat it for several drivers")
	f.StringVar(&o.Release, "release", "", "Kubernetes release of a created cluster, such as 1.37 (default the newest supported)")
	f.StringVar(&o.Gates, "gates", "default", gatesHelp)
	f.StringSliceVar(&o.Serve, "serve", nil, serveHelp)
	f.StringVar(&o.Scheduler, "scheduler", skew.KubeScheduler, schedulerHelp+"; with --provider control-plane also external, which is one that you start")
	f.StringVar(&o.SchedulerBinary, "scheduler-binary", "", "program that --provider control-plane runs as the scheduler, with the flags of kube-scheduler")
	f.StringVar(&o.SchedulerConfig, "scheduler-config", "", "KubeSchedulerConfiguration of the scheduler of --provider control-plane; its kubeconfig is replaced")
	f.StringVar(&o.SchedulerName, "scheduler-name", "", "spec.schedulerName of all pods, to test another scheduler than the default one")
	f.BoolVar(&o.SimulateNodes, "simulate-nodes", false, "let specs create Node objects without a machine in an existing cluster; autoscalers and cloud providers may react to them")
	f.IntVar(&o.Workers, "workers", kind.DefaultWorkers, "number of worker nodes of a kind cluster")
	f.StringVar(&o.NodeImage, "node-image", "", "node image of a kind cluster (default the release's)")
	f.StringVar(&o.Kubeconfig, "kubeconfig", "", "kubeconfig of an existing cluster (default as kubectl)")
	f.StringVar(&o.Context, "context", "", "context of an existing cluster (default the current one)")
	f.StringVar(&o.KindCluster, "kind-cluster", "", "name of the existing cluster if \"draconform cluster create\" created it, so that specs can restart its nodes")
	f.StringVarP(&o.Namespace, "namespace", "n", "", "existing namespace for the specs of a run with driver files (default one that the run creates)")
	f.BoolVar(&o.NodeAgent, "node-agent", false, "install a privileged pod on each node with devices of an existing cluster, so that specs can call drivers as the kubelet does; it is removed after the run")
	f.StringVar(&o.NodeAgentImage, "node-agent-image", "", "image of the node agent in an existing cluster (default the suite's)")
	f.StringVar(&o.ImageRegistry, "image-registry", "", imageRegistryHelp)
	f.StringVar(&o.FakedriverImage, "fakedriver-image", "", "image of the fake driver in an existing cluster (default the suite's)")
	f.StringVar(&o.WorkloadImage, "workload-image", "", "image of the pods of specs in an existing cluster, unless a driver file has one (default the suite's)")
	f.StringSliceVar(&o.FeatureOverrides, "feature-override", nil, "declare features regardless of the detected ones, such as prioritized-list=absent; the report has the overrides")
	addSelection(cmd, &o.Selection, specs.All())
	f.StringVar(&o.First, "first", "", "regular expression of ids: these specs begin first, and all others follow, such as those that failed before")
	f.StringSliceVar(&o.Claims, "claim", nil, "claimed profiles; skipped specs of these fail the run (default those of which no spec is excluded)")
	f.IntVar(&o.Parallel, "parallel", 0, fmt.Sprintf("number of processes that run independent specs in parallel; 1 disables them (default %d, and %d with --provider control-plane)",
		run.DefaultParallel, run.DefaultParallelControlPlane))
	f.BoolVar(&o.FailFast, "fail-fast", false, "end the run after the first failure")
	f.BoolVar(&o.keepGoing, "keep-going", true, "continue after a failure")
	f.BoolVar(&o.Keep, "keep", false, "keep the cluster and all objects")
	f.StringVar(&o.Dir, "artifacts", artifactsFolder, "parent folder of the folders of runs")
	f.StringVar(&o.resultsDir, "results-dir", "", "directory that gets an archive of the results and then a file \"done\", as those of Sonobuoy's plugins; also the default of --artifacts")
	f.StringVar(&o.RunID, "run-id", "", "id of the run, as \"draconform job\" sets it (default a new one)")
	f.Float64Var(&o.TimeoutScale, "timeout-scale", 1, "factor for the timeouts of specs, for slow machines")
	addDryRun(cmd, &o.dryRun, &o.output, "table", "only print which specs can run, and why others cannot")
	completeGates(cmd)
	completeProvider(cmd, run.Kind, run.ControlPlane, run.Existing)
	_ = cmd.RegisterFlagCompletionFunc("claim", completeList(profiles()))
	_ = cmd.RegisterFlagCompletionFunc("feature-override", completeList(overrides()))
}

// check rejects contradictory flags.
func (o *runOptions) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	if f.Changed("keep-going") && f.Changed("fail-fast") && o.keepGoing == o.FailFast {
		return usageError(errors.New("--keep-going and --fail-fast exclude each other"))
	}
	if o.dryRun && o.resultsDir != "" {
		return usageError(errors.New("--results-dir is for the results of a run; a dry run has none"))
	}
	provider := o.Provider
	switch {
	case provider == "" && len(o.Drivers) > 0:
		provider = run.Existing
	case provider == "":
		provider = run.Kind
	}
	if err := checkProviderFlags(f, runFlags, provider); err != nil {
		return usageError(err)
	}
	o.FailFast = o.FailFast || !o.keepGoing
	return nil
}

// runSpecs runs the specs and prints the verdict.
func runSpecs(cmd *cobra.Command, c run.Config) error {
	got, err := run.Run(cmd.Context(), configure(cmd, c), specs.All())
	return printVerdict(cmd, got, err)
}

// configure adds what does not depend on flags to the configuration of a run.
func configure(cmd *cobra.Command, c run.Config) run.Config {
	c.Version, c.Flags = version.String(), reproduceFlags(cmd.Flags())
	c.Progress, c.Worker = progress.New(cmd.OutOrStdout()), newWorker()
	return c
}

// runForResults runs the specs, also leaves the results in the directory for
// them, and prints the verdict.
func (o *runOptions) runForResults(cmd *cobra.Command) error {
	if err := results.Begin(o.resultsDir); err != nil {
		return usageError(err)
	}
	c := configure(cmd, o.Config)
	if !cmd.Flags().Changed("artifacts") {
		c.Dir = o.resultsDir
	}
	if c.RunID == "" {
		c.RunID, _ = run.NewID()
	}
	got, err := run.Run(cmd.Context(), c, specs.All())
	// The context may have ended: interrupted runs have results, too.
	err = errors.Join(err, results.Finish(o.resultsDir, filepath.Join(c.Dir, c.RunID), err))
	return printVerdict(cmd, got, err)
}

const gatesHelp = "DRA feature gates of a created cluster: default, alpha (all of the release), off (all that can be disabled), or a list such as alpha,DRAAdminAccess=false"

var serveHelp = "versions of the DRA API that a created cluster serves in addition to the default ones: " + strings.Join(kind.Servable, ", ")

// imageRegistryHelp describes the flag for mirrors.
const imageRegistryHelp = "registry and path of the suite's images for an existing cluster, such as registry.example.com/dra (default " + images.Registry + " if draconform is a release)"

const schedulerHelp = "scheduler of a created cluster: kube-scheduler, or draconform, which is built from a checkout"

// overrides returns all possible feature overrides.
func overrides() []string {
	var all []string
	for _, f := range features.All() {
		all = append(all, string(f)+"=present", string(f)+"=absent")
	}
	return all
}

// profiles returns the profiles that can be claimed.
func profiles() []string {
	var all []string
	for _, s := range specs.All() {
		all = append(all, s.Profile)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// completeProvider adds the completion of providers.
func completeProvider(cmd *cobra.Command, providers ...string) {
	_ = cmd.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(providers, cobra.ShellCompDirectiveNoFileComp))
}

// completeGates adds the completion of gate sets, releases and schedulers of
// kind clusters.
func completeGates(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("serve", completeList(kind.Servable)) // Not every command has this flag.
	_ = cmd.RegisterFlagCompletionFunc("gates", cobra.FixedCompletions([]string{"default", "alpha", "off"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("scheduler", cobra.FixedCompletions([]string{skew.KubeScheduler, skew.DraconformScheduler}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("release", cobra.FixedCompletions(releaseNames(), cobra.ShellCompDirectiveNoFileComp))
}
