package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/progress"
)

func newImages() *cobra.Command {
	return &cobra.Command{
		Use:   "images FILE",
		Short: "Build the suite's images into an archive, for existing clusters",
		Long: `Build the images of the fake driver and of the workload into an archive of the
OCI image layout. Runs in kind clusters of their own do that by themselves; for
an existing cluster, import the archive on its nodes, or copy the images to a
registry and name them with the flags of "draconform run".`,
		Example: `  draconform images suite.tar
  ctr --namespace k8s.io images import suite.tar     # on each node
  kind load image-archive suite.tar --name my-cluster`,
		Args: oneArg("the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := progress.New(cmd.OutOrStdout()).Stage("images of the suite")
			update := func(what string) { st.Update("%s", what) }
			if err := images.WriteArchive(cmd.Context(), args[0], update, images.Fakedriver, images.Workload); err != nil {
				return st.Fail(err)
			}
			st.Done(fmt.Sprintf("%s and %s in %s", images.Fakedriver.Ref, images.Workload.Ref, args[0]))
			return nil
		},
	}
}
