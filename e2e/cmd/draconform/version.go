// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/internal/version"
)

// pinned is a version of draconform with everything that it pins.
type pinned struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Kubernetes are the supported releases, the newest first.
	Kubernetes []clusters.Release `json:"kubernetes"`
	// Scheduler is the release of Kubernetes that the bundled scheduler is built
	// from.
	Scheduler string `json:"scheduler"`
	// NodeImage are the versions of what node images without a registry are built
	// from.
	NodeImage []nodeimage.Component `json:"nodeImage"`
	// Images are the images for existing clusters.
	Images []string `json:"images"`
}

func newVersion() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the versions of everything that it pins",
		Long: `Print the version, and the versions of everything that it pins: the supported
releases of Kubernetes, the bundled scheduler, what node images are built from, and
the images for existing clusters.`,
		Example: `  draconform version
  draconform version -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := pins()
			if err != nil {
				return err
			}
			if done, err := printStructured(cmd, output, p); done {
				return err
			}
			return p.print(cmd.OutOrStdout())
		},
	}
	addFormat(cmd, &output)
	return cmd
}

func pins() (pinned, error) {
	components, err := nodeimage.Pinned()
	if err != nil {
		return pinned{}, err
	}
	p := pinned{
		Version: version.String(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Kubernetes: clusters.Releases(), Scheduler: skew.SchedulerVersion, NodeImage: components,
	}
	for _, image := range images.All() {
		p.Images = append(p.Images, image.Reference(""))
	}
	return p, nil
}

func (p pinned) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "draconform\t%s\n%s\t%s\n", p.Version, p.Go, p.Platform)
	for _, release := range p.Kubernetes {
		fmt.Fprintf(w, "Kubernetes %s\tv%s\n", release.Minor, release.Version)
	}
	fmt.Fprintf(w, "bundled scheduler\t%s\n", p.Scheduler)
	for _, c := range p.NodeImage {
		fmt.Fprintf(w, "%s\t%s\n", c.Name, c.Version)
	}
	for _, image := range p.Images {
		fmt.Fprintf(w, "image\t%s\n", image)
	}
	return w.Flush()
}
