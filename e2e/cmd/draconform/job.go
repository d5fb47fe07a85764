// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/job"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/internal/version"
)

func newJob() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "job",
		Short: "Run the specs in a pod of the cluster that they test",
		Long: `Run the specs in a pod of the cluster that they test.

The pod belongs to a Job. It runs "draconform run --provider existing" with a service
account of its own, complies with the pod security level "restricted", and keeps the
results until they are fetched. docs/job.md describes its rights and its results.`,
		Args: noArgs,
		RunE: printHelp,
	}
	cmd.AddCommand(newJobRender(), newJobRun(), newJobFetch(), newJobServe())
	return cmd
}

// jobOptions are the flags of a Job.
type jobOptions struct {
	job.Options
	drivers, tolerations []string
	registry             string
}

func (o *jobOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Image, "image", "", "image of draconform (default the suite's)")
	f.StringVar(&o.registry, "image-registry", "", imageRegistryHelp)
	f.StringVar(&o.Arch, "arch", defaultArch(), "architecture of the image, as in the nodes' label kubernetes.io/arch; empty for an image of several, as those of releases are")
	f.StringVar(&o.Name, "name", "", "name of all objects (default draconform- and the last part of the run's id)")
	f.StringVarP(&o.Namespace, "namespace", "n", "", "existing namespace for the Job (default a new one with the name of the Job)")
	f.StringArrayVar(&o.drivers, "driver", nil, "driver file; can be repeated (default the fake drivers, which the run installs)")
	f.StringArrayVar(&o.tolerations, "toleration", nil, "taint that the pod tolerates: key=value:effect, key:effect or key; can be repeated")
	f.StringArrayVar(&o.PullSecrets, "pull-secret", nil, "image pull Secret in --namespace; can be repeated")
	f.DurationVar(&o.Deadline, "deadline", job.DefaultDeadline, "limit of the Job; the run is terminated then, and removes what it has created")
	f.DurationVar(&o.Hold, "hold", job.DefaultHold, "how long the pod keeps the results of a finished run until they are fetched")
	f.StringVar(&o.Memory, "memory", job.DefaultMemory, "memory limit of the run; clusters with thousands of nodes may need more")
	f.StringVar(&o.RunID, "run-id", "", "id of the run (default a new one)")
	_ = cmd.RegisterFlagCompletionFunc("arch", cobra.FixedCompletions(images.Architectures, cobra.ShellCompDirectiveNoFileComp))
}

// defaultArch returns the architecture of the default image. It is empty if that is
// for several, as the images of releases are.
func defaultArch() string {
	if version.Release() != "" {
		return ""
	}
	return runtime.GOARCH
}

// runFlagsOnly accepts arguments behind "--" only: the flags of the run.
func runFlagsOnly(cmd *cobra.Command, args []string) error {
	if dash := cmd.ArgsLenAtDash(); dash > 0 || dash < 0 && len(args) > 0 {
		return usageError(fmt.Errorf("unknown argument %q for %q: flags of the run follow \"--\", see \"%s --help\"", args[0], cmd.CommandPath(), cmd.CommandPath()))
	}
	return nil
}

// options validates the flags and returns the options of the Job. Nothing has
// been created then.
func (o *jobOptions) options(runFlags []string) (job.Options, error) {
	options := o.Options
	options.Image = cmp.Or(options.Image, images.Draconform.Reference(o.registry))
	if o.registry != "" {
		runFlags = append([]string{"--image-registry=" + o.registry}, runFlags...)
	}
	options.RunArgs = runFlags
	if options.RunID == "" {
		options.RunID, _ = run.NewID()
	}
	described, err := driverfile.Read(o.drivers...)
	if err != nil {
		return options, err
	}
	if _, err := subject.Of(described...); len(o.drivers) > 0 && err != nil {
		return options, err
	}
	config, err := checkRunFlags(o.drivers, runFlags)
	if err != nil {
		return options, err
	}
	options.Rights = access.Run{
		Namespace: config.Namespace, Drivers: described, Fakes: len(described) == 0, NodeAgent: config.NodeAgent, SimulateNodes: config.SimulateNodes,
	}
	for _, path := range o.drivers {
		content, err := os.ReadFile(path)
		if err != nil {
			return options, fmt.Errorf("read a driver file: %w", err)
		}
		options.Drivers = append(options.Drivers, job.DriverFile{Name: path, Content: content})
	}
	for _, text := range o.tolerations {
		toleration, err := job.ParseToleration(text)
		if err != nil {
			return options, err
		}
		options.Tolerations = append(options.Tolerations, toleration)
	}
	return options, nil
}

// notInJobs are the flags of "draconform run" that a Job sets itself, with the
// reason.
var notInJobs = map[string]string{
	"provider":     "the run uses the cluster of its pod",
	"kubeconfig":   "the run uses the cluster of its pod",
	"context":      "the run uses the cluster of its pod",
	"kind-cluster": "the run has no access to a container engine",
	"artifacts":    "the results are in a volume of the pod",
	"results-dir":  "the results are in a volume of the pod",
	"run-id":       "it is a flag of the Job",
	"driver":       "it is a flag of the Job",
	"keep":         "the objects of the Job and of its run are removed together",
	"dry-run":      "it needs no Job",
	"output":       "it is for dry runs, which need no Job",
}

// checkRunFlags validates flags as "draconform run" does in the pod, together with
// driver files. It returns the configuration that they state.
func checkRunFlags(drivers, flags []string) (run.Config, error) {
	var o runOptions
	cmd := o.command()
	if err := cmd.ParseFlags(flags); err != nil {
		return o.Config, fmt.Errorf("flags of the run: %w", err)
	}
	if rest := cmd.Flags().Args(); len(rest) > 0 {
		return o.Config, fmt.Errorf("flags of the run: unknown argument %q", rest[0])
	}
	for name, why := range notInJobs {
		if cmd.Flags().Changed(name) {
			return o.Config, fmt.Errorf("flags of the run: --%s cannot be set: %s", name, why)
		}
	}
	o.Provider, o.Drivers = run.Existing, drivers
	if err := errors.Join(cmd.PreRunE(cmd, nil), o.Check(specs.All())); err != nil {
		return o.Config, fmt.Errorf("flags of the run: %w", err)
	}
	return o.Config, nil
}

// jobClient connects to a cluster. Nothing is created.
func jobClient(cmd *cobra.Command, kubeconfig, contextName string) (job.Client, error) {
	provider, err := existing.New(kubeconfig, contextName)
	if err != nil {
		return job.Client{}, err
	}
	if _, err := provider.Create(cmd.Context()); err != nil {
		return job.Client{}, err
	}
	config := provider.KubernetesRestConfig()
	config.WarningHandler = rest.NoWarnings{}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return job.Client{}, fmt.Errorf("connect to cluster %s: %w", provider.Name(), err)
	}
	return job.Client{Kubernetes: client, Config: config, Progress: progress.New(cmd.OutOrStdout())}, nil
}
