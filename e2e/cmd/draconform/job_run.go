// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/job"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
)

func newJobRun() *cobra.Command {
	var o jobOptions
	var kubeconfig, contextName string
	options := job.RunOptions{}
	cmd := &cobra.Command{
		Use:   "run [-- FLAG...]",
		Short: "Run the specs in a Job, fetch the results and remove the Job",
		Long: `Create the objects that "draconform job render" prints, print the log of the run,
fetch its results and remove everything. Flags of "draconform run" follow "--".

Objects that exist already are never changed. If the pod does not start, the reason
is printed: it is unschedulable, its image cannot be pulled, a quota or an admission
policy rejects it. Ctrl-C terminates the run, which then removes what it has
created; the results so far are fetched, and the Job is removed.

The exit status is that of the run.`,
		Example: `  draconform job run --driver my-driver.yaml --image registry.example.com/draconform:v1 \
    -- --workload-image registry.example.com/workload:v1
  draconform job run --namespace gpus --pull-secret registry -- --labels smoke`,
		Args: runFlagsOnly,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if options.Options, err = o.options(args); err != nil {
				return usageError(err)
			}
			if _, err := job.Objects(options.Options); err != nil {
				return usageError(err)
			}
			client, err := jobClient(cmd, kubeconfig, contextName)
			if err != nil {
				return usageError(err)
			}
			result, err := client.Run(cmd.Context(), options)
			return printJobVerdict(cmd, result, err)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.addFlags(cmd)
	addJobCluster(cmd, &kubeconfig, &contextName, &options.Artifacts)
	cmd.Flags().DurationVar(&options.StartTimeout, "start-timeout", job.DefaultStartTimeout, "limit of the time until the run starts")
	cmd.Flags().BoolVar(&options.Keep, "keep", false, "keep the objects of the Job")
	return cmd
}

func newJobFetch() *cobra.Command {
	var kubeconfig, contextName, namespace, artifacts string
	cmd := &cobra.Command{
		Use:   "fetch NAME",
		Short: "Fetch the results of a Job",
		Long: `Wait until the run of a Job has ended, print its log meanwhile, and fetch the results.
The pod ends then. It also ends after --hold of "draconform job render".
Nothing is removed.

The exit status is that of the run.`,
		Example: `  draconform job fetch draconform-a1b2 --namespace draconform-a1b2`,
		Args:    oneArg("the name of a Job"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := jobClient(cmd, kubeconfig, contextName)
			if err != nil {
				return usageError(err)
			}
			if namespace == "" {
				namespace = args[0] // that of a Job without --namespace
			}
			result, err := client.Fetch(cmd.Context(), namespace, args[0], artifacts)
			return printJobVerdict(cmd, result, err)
		},
		ValidArgsFunction: completeJobs,
	}
	addJobCluster(cmd, &kubeconfig, &contextName, &artifacts)
	cmd.Flags().StringVarP(&namespace, "namespace", "n", "", "namespace of the Job (default the name of the Job)")
	return cmd
}

// addJobCluster adds the flags that select the cluster and the place for the
// results.
func addJobCluster(cmd *cobra.Command, kubeconfig, contextName, artifacts *string) {
	addContext(cmd, kubeconfig, contextName)
	cmd.Flags().StringVar(artifacts, "artifacts", artifactsFolder, "parent folder of the folders of runs")
}

// printJobVerdict prints the verdict of the run in a pod. The log of the run has
// its details.
func printJobVerdict(cmd *cobra.Command, result job.Result, err error) error {
	if errors.Is(err, run.ErrConfig) {
		return usageError(err)
	}
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "draconform: %s\n", err)
	}
	if result.Folder == "" {
		return errVerdict
	}
	got, readErr := report.Read(result.Folder)
	switch {
	case result.ExitCode == exitUsage:
		return usageError(errors.New("the run in the pod has not started, see its log"))
	case readErr != nil:
		fmt.Fprintf(cmd.ErrOrStderr(), "draconform: the run has left no report: %s\n", readErr)
		return errVerdict
	}
	fmt.Fprintf(cmd.OutOrStdout(), "verdict: %s\n", got.Verdict)
	if err != nil || !got.Verdict.Result.Succeeds() || result.ExitCode > 0 {
		return errVerdict
	}
	return nil
}
