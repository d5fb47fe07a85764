// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/skew"
)

// instanceStatus is the JSON output for one instance.
type instanceStatus struct {
	Component skew.Component `json:"component"`
	Node      string         `json:"node,omitempty"`
	Version   string         `json:"version"`
	Gates     string         `json:"gates"`
	Scheduler string         `json:"scheduler,omitempty"`
	// Problem states why the instance is not running or does not match its
	// configuration.
	Problem string `json:"problem,omitempty"`
}

func newClusterStatus() *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the releases, gates and scheduler of the components of a running cluster",
		Example: `  draconform cluster status
  draconform cluster status test -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := findCluster(cmd, name)
			if err != nil {
				return err
			}
			state, err := change.Read(cmd.Context(), p)
			if err != nil {
				return err
			}
			all := statuses(state)
			if done, err := printStructured(cmd, output, all); done {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "COMPONENT\tNODE\tVERSION\tGATES\tREMARK")
			for _, s := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.Component, s.Node, s.Version, s.Gates, strings.TrimSpace(s.Scheduler+" "+s.Problem))
			}
			return w.Flush()
		},
	}
	addClusterName(cmd, &name)
	addClusterKubeconfig(cmd, "file with the context of the cluster (default as kubectl)")
	addOutput(cmd, &output)
	return cmd
}

func statuses(state skew.State) []instanceStatus {
	var all []instanceStatus
	for _, r := range state {
		all = append(all, statusOf(r))
	}
	return all
}

func statusOf(r skew.Running) instanceStatus {
	s := instanceStatus{Component: r.Component, Node: r.Node, Version: r.Release.Version, Gates: r.Gates.Name(), Scheduler: r.Scheduler, Problem: r.Unsettled}
	if r.Stopped {
		s.Problem = "stopped"
	}
	return s
}
