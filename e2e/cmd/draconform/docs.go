// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/draconform/draconform/e2e/docs"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/internal/version"
)

// newDocs returns a hidden command for developers of the repository and for
// packagers.
func newDocs() *cobra.Command {
	var man bool
	cmd := &cobra.Command{
		Use:   "docs DIR",
		Short: "Write the pages about specs, requirements and alarms, and the schemas of files, into the folder docs of a checkout",
		Long: `Write the pages about specs, requirements and alarms, and the schemas of files,
into the folder docs of a checkout. With --man, write the manual pages of all commands
into a folder instead, which is created if it does not exist.`,
		Example: `  draconform docs docs
  draconform docs --man /usr/local/share/man/man1`,
		Hidden: true,
		Args:   oneArg("the folder to write into"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if man {
				return writeManual(cmd.Root(), args[0])
			}
			paths, err := docs.Write(args[0], slices.Concat(specs.All(), journeys.All()), requirements.Documents())
			for _, path := range paths {
				fmt.Fprintln(cmd.OutOrStdout(), path)
			}
			if err != nil {
				return err
			}
			paths, err = docs.WriteSchemas(args[0])
			for _, path := range paths {
				fmt.Fprintln(cmd.OutOrStdout(), path)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&man, "man", false, "write manual pages instead")
	return cmd
}

// writeManual writes a manual page for each command. Their date is that of the
// environment variable SOURCE_DATE_EPOCH, or today.
func writeManual(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write manual pages: %w", err)
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "draconform " + version.String(), Manual: "draconform"}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return fmt.Errorf("write manual pages: %w", err)
	}
	return nil
}
