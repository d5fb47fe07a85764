// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/run"
)

func newClean() *cobra.Command {
	var c run.CleanConfig
	var dryRun bool
	var output string
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
prints all that are needed.

Exit status: 0 if everything was removed, also if there was nothing; 1 if something may
remain; 2 if flags or arguments are invalid.`,
		Example: `  draconform clean
  draconform clean --provider existing --dry-run
  draconform clean --provider existing --dry-run -o json
  draconform clean --provider existing --run 20260301-120000-0a1f`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkProviderFlags(cmd.Flags(), cleanFlags, c.Provider); err != nil {
				return usageError(err)
			}
			if dryRun {
				found, err := findLeftovers(cmd.Context(), c)
				return printLeftovers(cmd, found, output, err)
			}
			c.Progress = progress.New(cmd.OutOrStdout())
			return cleanError(run.Clean(cmd.Context(), c))
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.Provider, "provider", run.Kind, "where to clean: kind or existing")
	f.StringVar(&c.RunID, "run", "", "only objects of this run")
	f.BoolVar(&c.Images, "images", false, "also remove the node images that were built")
	f.StringVar(&c.Kubeconfig, "kubeconfig", "", "kubeconfig of an existing cluster (default as kubectl)")
	f.StringVar(&c.Context, "context", "", "context of an existing cluster (default the current one)")
	f.StringVarP(&c.Namespace, "namespace", "n", "", "only this namespace of an existing cluster, which needs no rights on others (default the whole cluster)")
	addDryRun(cmd, &dryRun, &output, "text", "only print what would be removed")
	completeProvider(cmd, run.Kind, run.Existing)
	return cmd
}

// cleanError adds the context of an error, which is a usage error if it is about the
// configuration.
func cleanError(err error) error {
	if errors.Is(err, run.ErrConfig) {
		return usageError(err)
	}
	if err != nil {
		return fmt.Errorf("clean: %w", err)
	}
	return nil
}

// findLeftovers returns what would be removed.
func findLeftovers(ctx context.Context, c run.CleanConfig) ([]run.Leftover, error) {
	found := []run.Leftover{} // Not null in JSON.
	c.DryRun = func(l run.Leftover) { found = append(found, l) }
	err := run.Clean(ctx, c)
	return found, cleanError(err)
}

// printLeftovers prints what would be removed. If not everything could be listed, it
// prints what was found, and returns the error.
func printLeftovers(cmd *cobra.Command, found []run.Leftover, output string, err error) error {
	if err != nil && len(found) == 0 {
		return err
	}
	if done, printErr := printStructured(cmd, output, found); done {
		return errors.Join(err, printErr)
	}
	if len(found) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "nothing to remove")
	}
	for _, l := range found {
		fmt.Fprintf(cmd.OutOrStdout(), "would remove %s\n", l)
	}
	return err
}
