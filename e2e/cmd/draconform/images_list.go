// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/images"
)

// listedImage is an image for existing clusters.
type listedImage struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

func newImagesList() *cobra.Command {
	var output, registry string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the suite's images for existing clusters",
		Long: `List the suite's images for existing clusters, one per line, to copy them to a
mirror. With --image-registry, the list has their names in the mirror, which the
same flag of "draconform run" and "draconform job" expects.`,
		Example: `  draconform images list
  draconform images list --image-registry registry.example.com/dra
  paste <(draconform images list) <(draconform images list --image-registry registry.example.com/dra) |
    while read -r from to; do skopeo copy --all "docker://$from" "docker://$to"; done`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []listedImage
			for _, image := range images.All() {
				all = append(all, listedImage{image.Name(), image.Reference(registry)})
			}
			if done, err := printStructured(cmd, output, all); done {
				return err
			}
			for _, image := range all {
				fmt.Fprintln(cmd.OutOrStdout(), image.Image)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&registry, "image-registry", "", "registry and path of a mirror, such as registry.example.com/dra")
	addFormat(cmd, &output)
	return cmd
}
