// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
)

func newClusterGates() *cobra.Command {
	c := &clusterChange{}
	cmd := &cobra.Command{
		Use:   "gates",
		Short: "Change the feature gates of a running cluster or of some components",
		Long: `Change the DRA feature gates of a running cluster or of some of its components,
and the APIs that the API server serves for them. Gates are enabled in the order
from the API server to the kubelets, and disabled in the reverse order. Other
feature gates are not changed.` + changeHelp,
		Example: `  draconform cluster gates --set alpha
  draconform cluster gates --set DRAConsumableCapacity=false --component scheduler`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.want.Gates == "" {
				return usageError(fmt.Errorf("%q needs --set, such as --set default", cmd.CommandPath()))
			}
			if err := parsesSomewhere(c.want.Gates); err != nil {
				return usageError(err)
			}
			if err := c.readComponents(); err != nil {
				return err
			}
			return c.run(cmd)
		},
	}
	cmd.Flags().StringVar(&c.want.Gates, "set", "", "DRA feature gates: default, alpha (all of the release), off (all that can be disabled), or a list such as alpha,DRAAdminAccess=false")
	c.addComponents(cmd)
	c.addFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("set", cobra.FixedCompletions([]string{"default", "alpha", "off"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// parsesSomewhere returns an error if a set of gates is invalid in every
// release. The release of the cluster is not known yet.
func parsesSomewhere(set string) error {
	var err error
	for _, r := range slices.Backward(clusters.All()) {
		if _, err = gates.Parse(set, r); err == nil {
			return nil
		}
	}
	return err
}
