// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/progress"
)

func newClusterLoad() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "load NAME IMAGE...",
		Short: "Load images into the nodes of a cluster",
		Long: `Load images into all nodes of a cluster: those of archives, such as one that
"draconform images" wrote, and those of the container engine. An argument that is
the name of a file is an archive.`,
		Example: `  draconform cluster load draconform suite.tar
  draconform cluster load draconform registry.example.com/gpu-driver:v1.2.3`,
		RunE: func(cmd *cobra.Command, args []string) error {
			images := afterName(cmd, args)
			st := progress.New(cmd.OutOrStdout()).Task("load images into cluster %s", name)
			if err := loadImages(cmd, name, images); err != nil {
				return st.Fail(err)
			}
			st.Done(strings.Join(images, ", "))
			return nil
		},
	}
	requireClusterName(cmd, &name, 1, -1, "the name of a cluster, and images or archives")
	return cmd
}

// loadImages loads archives, and images of the engine, into the nodes of a
// cluster.
func loadImages(cmd *cobra.Command, cluster string, images []string) error {
	p, err := findCluster(cmd, cluster)
	if err != nil {
		return err
	}
	archives, refs := splitArchives(images)
	if len(refs) > 0 {
		temp, err := os.MkdirTemp("", "draconform-load-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(temp) }()
		saved := filepath.Join(temp, "images.tar")
		if err := p.Engine().Save(cmd.Context(), saved, refs...); err != nil {
			return fmt.Errorf("save images of the engine: %w", err)
		}
		archives = append(archives, saved)
	}
	for _, archive := range archives {
		if err := p.LoadImageArchive(cmd.Context(), archive); err != nil {
			return err
		}
	}
	return nil
}

// splitArchives returns the arguments that are files, and the others.
func splitArchives(images []string) (archives, refs []string) {
	for _, image := range images {
		if info, err := os.Stat(image); err == nil && info.Mode().IsRegular() {
			archives = append(archives, image)
		} else {
			refs = append(refs, image)
		}
	}
	return archives, refs
}
