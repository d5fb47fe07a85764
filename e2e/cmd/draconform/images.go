// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/progress"
)

func newImages() *cobra.Command {
	var scheduler bool
	var architectures []string
	cmd := &cobra.Command{
		Use:   "images FILE",
		Short: "Build the suite's images into an archive, for existing clusters",
		Long: `Build the images of the fake driver, of the workload, of the node agent and of
draconform itself into an archive of the OCI image layout. Runs in kind clusters
build and load the images themselves. Existing clusters can pull the images of a
release. Where they cannot, import the archive on their nodes, or copy its images to
a registry and set --image-registry of "draconform run" and of "draconform job".
They are built by Go from source. They are for Linux and the architecture of this
machine: nodes of another one, or of several, need --arch.

With --scheduler, only the image of the bundled scheduler is built, from a
checkout; "draconform scheduler render" prints the manifest that runs it.`,
		Example: `  draconform images suite.tar
  ctr --namespace k8s.io images import suite.tar     # on each node
  kind load image-archive suite.tar --name my-cluster
  skopeo copy oci-archive:suite.tar:draconform.dev/workload:dev \
    docker://registry.example.com/dra/workload:dev`,
		Args: oneArg("the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arch := range architectures {
				if !slices.Contains(images.Architectures, arch) {
					return usageError(fmt.Errorf("architecture %q is not supported, use %s", arch, strings.Join(images.Architectures, ", ")))
				}
			}
			st := progress.New(cmd.OutOrStdout()).Task("images of the suite")
			update := st.Update
			built := []images.Image{images.Fakedriver, images.Workload, images.NodeAgent, images.Draconform}
			if scheduler {
				built = []images.Image{images.Scheduler}
			}
			var refs []string
			for i, image := range built {
				built[i].Ref = image.Reference("")
				refs = append(refs, built[i].Ref)
			}
			if err := images.WriteArchiveFor(cmd.Context(), args[0], architectures, update, built...); err != nil {
				return st.Fail(err)
			}
			st.Done(strings.Join(refs, ", ") + " in " + args[0])
			return nil
		},
	}
	// The subcommands are completed too before a file.
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	cmd.Flags().StringSliceVar(&architectures, "arch", []string{runtime.GOARCH}, "architectures of the images, such as amd64,arm64")
	_ = cmd.RegisterFlagCompletionFunc("arch", completeList(images.Architectures))
	cmd.AddCommand(newImagesList())
	cmd.Flags().BoolVar(&scheduler, "scheduler", false, "build the image of the bundled scheduler instead")
	return cmd
}
