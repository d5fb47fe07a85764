// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/progress"
)

func newImages() *cobra.Command {
	var scheduler bool
	cmd := &cobra.Command{
		Use:   "images FILE",
		Short: "Build the suite's images into an archive, for existing clusters",
		Long: `Build the images of the fake driver, of the workload and of draconform itself into
an archive of the OCI image layout. Runs in kind clusters build and load the images
themselves. For an existing cluster, import the archive on its nodes, or copy the
images to a registry and set the image flags of "draconform run" and of "draconform
job". The images are for Linux and the architecture of this machine.

With --scheduler, only the image of the bundled scheduler is built, from a
checkout; "draconform scheduler render" prints the manifest that runs it.`,
		Example: `  draconform images suite.tar
  ctr --namespace k8s.io images import suite.tar     # on each node
  kind load image-archive suite.tar --name my-cluster
  skopeo copy oci-archive:suite.tar:draconform.dev/draconform:dev \
    docker://registry.example.com/draconform:v1`,
		Args: oneArg("the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := progress.New(cmd.OutOrStdout()).Task("images of the suite")
			update := st.Update
			built := []images.Image{images.Fakedriver, images.Workload, images.NodeAgent, images.Draconform}
			if scheduler {
				built = []images.Image{images.Scheduler}
			}
			if err := images.WriteArchive(cmd.Context(), args[0], update, built...); err != nil {
				return st.Fail(err)
			}
			var refs []string
			for _, image := range built {
				refs = append(refs, image.Ref)
			}
			st.Done(strings.Join(refs, ", ") + " in " + args[0])
			return nil
		},
	}
	cmd.Flags().BoolVar(&scheduler, "scheduler", false, "build the image of the bundled scheduler instead")
	return cmd
}
