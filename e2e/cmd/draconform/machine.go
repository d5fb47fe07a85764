// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/doctor"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
)

func newDoctor() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether this machine can run clusters, and how to fix it",
		Long: `Check whether this machine can run clusters: the container engine and what it allows,
memory, disk, limits of the kernel, and what the build of a node image needs. Each
problem has the command that fixes it.

Exit status: 0 if clusters can run, perhaps with limitations; 1 if they cannot.`,
		Example: `  draconform doctor
  draconform doctor -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			results := doctor.Check(cmd.Context(), doctor.Local{})
			done, err := printStructured(cmd, output, results)
			if !done {
				err = doctor.Print(cmd.OutOrStdout(), results)
			}
			if err != nil {
				return err
			}
			return checkMachine(results)
		},
	}
	addFormat(cmd, &output)
	return cmd
}

// checkMachine returns an error if no cluster can run.
func checkMachine(results []doctor.Result) error {
	if doctor.Failed(results) {
		return errors.New("this machine cannot run clusters")
	}
	return nil
}

func newReleases() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "releases",
		Short: "List the supported Kubernetes releases, or the matrix to test",
		Long: `List the supported Kubernetes releases, or the matrix to test. Legacy releases are
those with DRA by control plane controllers of drivers, which newer ones no longer
have. They are in the table only.`,
		Example: `  draconform releases
  draconform releases -o matrix`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output == "matrix" {
				// GitHub Actions requires a single line.
				return json.NewEncoder(cmd.OutOrStdout()).Encode(clusters.Matrix())
			}
			if done, err := printStructured(cmd, output, clusters.Releases()); done {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "RELEASE\tVERSION\tDRA GATES ON BY DEFAULT")
			for _, r := range clusters.All() {
				set, err := gates.Parse("default", r)
				if err != nil {
					return err
				}
				on, all := 0, set.States()
				for _, s := range all {
					if s.Enabled {
						on++
					}
				}
				note := ""
				if clusters.IsLegacy(r.Minor) {
					note = ", legacy: not in the matrix"
				}
				fmt.Fprintf(w, "%s\t%s\t%d of %d%s\n", r.Minor, r.Version, on, len(all), note)
			}
			return w.Flush()
		},
	}
	addOutput(cmd, &output, "matrix")
	return cmd
}

func newNodeImage() *cobra.Command {
	var release string
	var o nodeimage.Options
	cmd := &cobra.Command{
		Use:   "node-image",
		Short: "Get the node image of a release into the container engine",
		Long: `Get the node image of a release into the container engine: an existing one, or that
of kind from the registry, or one that is built from Go modules and Debian packages.
The name of the image is printed.`,
		Example: `  draconform node-image --release 1.36
  draconform node-image --build`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Release, err = findRelease(release); err != nil {
				return usageError(err)
			}
			if o.Engine, err = engine.Find(cmd.Context()); err != nil {
				return err
			}
			o.Progress = progress.New(cmd.ErrOrStderr())
			image, err := nodeimage.Ensure(cmd.Context(), o)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), image.Ref)
			return nil
		},
	}
	cmd.Flags().StringVar(&release, "release", "", "Kubernetes release, such as 1.37 (default the newest supported)")
	cmd.Flags().BoolVar(&o.Build, "build", false, "build it, even if that of kind is available")
	cmd.Flags().StringVar(&o.CacheDir, "cache", "", "folder of finished stages of builds (default draconform/node-image in the user's cache)")
	_ = cmd.RegisterFlagCompletionFunc("release", cobra.FixedCompletions(releaseNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
