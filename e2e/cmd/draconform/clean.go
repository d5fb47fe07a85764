// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/run"
)

func newClean() *cobra.Command {
	var c run.CleanConfig
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove the objects that draconform created, by their labels",
		Long: `Remove the remaining objects that draconform created, by their label
draconform.dev/run.

With --provider kind: clusters, containers and images of runs in the container
engine; with --images also the node images that were built.
With --provider existing: objects in the cluster of the kubeconfig's context, also
those in namespaces that were given to runs. What may not be listed or deleted stays,
the rest is removed, and the error names the missing rights. "draconform rbac --clean"
prints all that are needed.`,
		Example: `  draconform clean
  draconform clean --provider existing --dry-run
  draconform clean --provider existing --run 20260301-120000-0a1f`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Progress = progress.New(cmd.OutOrStdout())
			err := run.Clean(cmd.Context(), c)
			if errors.Is(err, run.ErrConfig) {
				return usageError(err)
			}
			if err != nil {
				return fmt.Errorf("clean: %w", err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.Provider, "provider", run.Kind, "where to clean: kind or existing")
	f.StringVar(&c.RunID, "run", "", "only objects of this run")
	f.BoolVar(&c.Images, "images", false, "also remove the node images that were built")
	f.StringVar(&c.Kubeconfig, "kubeconfig", "", "kubeconfig of an existing cluster (default as kubectl)")
	f.StringVar(&c.Context, "context", "", "context of an existing cluster (default the current one)")
	f.StringVarP(&c.Namespace, "namespace", "n", "", "only this namespace of an existing cluster, which needs no rights on others (default the whole cluster)")
	f.BoolVar(&c.DryRun, "dry-run", false, "only print what would be removed")
	completeProvider(cmd, run.Kind, run.Existing)
	return cmd
}
