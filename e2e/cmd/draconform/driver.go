// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

func newDriver() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "Show, write and check driver files",
		Long: `Show, write and check driver files.

A driver file describes a DRA driver for specs: which devices they can request, how
containers see these devices, and what a run may do with the driver. The suite's
fake drivers are described by such files too. docs/drivers.md explains the fields.`,
		Args: noArgs,
		RunE: printHelp,
	}
	cmd.AddCommand(newDriverShow(), newDriverInit(), newDriverCheck())
	return cmd
}

func newDriverShow() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "show [NAME]",
		Short: "Print the driver file of a fake driver, or list these files",
		Example: `  draconform driver show
  draconform driver show mig > my-driver.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(fmt.Errorf("%q takes the name of one driver file, see \"%s --help\"", cmd.CommandPath(), cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listDriverFiles(cmd, output)
			}
			if cmd.Flags().Changed("output") {
				return usageError(errors.New("--output is the format of the list; a driver file is YAML"))
			}
			content, err := subject.FakeFile(args[0])
			if err != nil {
				return usageError(err)
			}
			_, err = cmd.OutOrStdout().Write(content)
			return err
		},
		ValidArgsFunction: cobra.FixedCompletions(subject.FakeFiles(), cobra.ShellCompDirectiveNoFileComp),
	}
	addOutput(cmd, &output)
	return cmd
}

// listedDriverFile is a driver file as JSON and YAML.
type listedDriverFile struct {
	Name   string         `json:"name"`
	Driver string         `json:"driver"`
	Kinds  []subject.Kind `json:"kinds"`
}

// listDriverFiles prints the driver files of the fake drivers.
func listDriverFiles(cmd *cobra.Command, output string) error {
	var listed []listedDriverFile
	for _, name := range subject.FakeFiles() {
		content, err := subject.FakeFile(name)
		if err != nil {
			return err
		}
		drivers, err := driverfile.Decode("", content)
		if err != nil {
			return err
		}
		s, err := subject.Of(drivers...)
		if err != nil {
			return err
		}
		file := listedDriverFile{Name: name, Driver: drivers[0].Name}
		for _, kind := range subject.Kinds() {
			if s.Offers(kind) {
				file.Kinds = append(file.Kinds, kind)
			}
		}
		listed = append(listed, file)
	}
	if done, err := printStructured(cmd, output, listed); done {
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tDRIVER\tKINDS OF DEVICES")
	for _, file := range listed {
		fmt.Fprintf(w, "%s\t%s\t%s\n", file.Name, file.Driver, joined(file.Kinds))
	}
	return w.Flush()
}
