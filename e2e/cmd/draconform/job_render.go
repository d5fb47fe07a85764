// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/job"
)

func newJobRender() *cobra.Command {
	var o jobOptions
	cmd := &cobra.Command{
		Use:   "render [-- FLAG...]",
		Short: "Print the manifest of a Job that runs the specs",
		Long: `Print the manifest of a Job that runs the specs: its namespace, service account,
rights, driver files, and the Job. Flags of "draconform run" follow "--".

All objects have the label draconform.dev/run with the id of the run. The run labels
what it creates in the same way and removes it. "draconform job fetch" fetches the
results, and "draconform clean --provider existing --run ID" removes everything.`,
		Example: `  draconform job render --driver my-driver.yaml --image registry.example.com/draconform:v1 \
    -- --workload-image registry.example.com/workload:v1 --claim driver > job.yaml
  kubectl apply -f job.yaml
  draconform job fetch draconform-a1b2 --namespace draconform-a1b2`,
		Args: runFlagsOnly,
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := o.options(args)
			if err != nil {
				return usageError(err)
			}
			manifest, err := job.Render(options)
			if err != nil {
				return usageError(err)
			}
			_, err = cmd.OutOrStdout().Write(manifest)
			return err
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.addFlags(cmd)
	return cmd
}
