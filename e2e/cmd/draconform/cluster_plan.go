// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/skew"
)

// nothingToChange is the text about a cluster that is as wanted.
const nothingToChange = "nothing to change"

// plannedChange is the JSON and YAML output of a dry run that changes a cluster.
type plannedChange struct {
	// Steps are empty if the cluster is as wanted.
	Steps []plannedStep `json:"steps"`
	// NodeImage has the components of the new release. It is absent if no release
	// changes.
	NodeImage *plannedImage `json:"nodeImage,omitempty"`
}

// plannedStep changes one instance.
type plannedStep struct {
	// Text is the step in words.
	Text string         `json:"step"`
	From instanceStatus `json:"from"`
	To   instanceStatus `json:"to"`
}

// plannedImage is the node image of a release.
type plannedImage struct {
	Version string `json:"version"`
	// Name is the name of the image. It is absent if the image is not available, and would
	// be pulled or built first.
	Name string `json:"name,omitempty"`
}

func plannedSteps(steps []skew.Step) []plannedStep {
	all := make([]plannedStep, 0, len(steps)) // Not null in JSON.
	for _, s := range steps {
		all = append(all, plannedStep{s.String(), statusOf(s.From), statusOf(s.To)})
	}
	return all
}

// print prints the steps, and whether their node image is available.
func (p plannedChange) print(cmd *cobra.Command, output string) error {
	if done, err := printStructured(cmd, output, p); done {
		return err
	}
	out := cmd.OutOrStdout()
	if len(p.Steps) == 0 {
		fmt.Fprintln(out, nothingToChange)
	}
	for _, s := range p.Steps {
		fmt.Fprintln(out, s.Text)
	}
	switch image := p.NodeImage; {
	case image == nil:
	case image.Name == "":
		fmt.Fprintf(out, "the node image of %s is not available: it would be pulled or built first\n", image.Version)
	default:
		fmt.Fprintf(out, "from node image %s\n", image.Name)
	}
	return nil
}
