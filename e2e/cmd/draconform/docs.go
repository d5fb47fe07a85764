// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/docs"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/specs"
)

// newDocs returns a hidden command for developers of the repository.
func newDocs() *cobra.Command {
	return &cobra.Command{
		Use:    "docs DIR",
		Short:  "Write the pages about specs, requirements and alarms, and the schema of driver files, into the folder docs of a checkout",
		Hidden: true,
		Args:   oneArg("the folder to write into"),
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, err := docs.Write(args[0], slices.Concat(specs.All(), journeys.All()), requirements.Documents())
			for _, path := range paths {
				fmt.Fprintln(cmd.OutOrStdout(), path)
			}
			if err != nil {
				return err
			}
			path, err := docs.WriteSchema(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), path)
			return nil
		},
	}
}
