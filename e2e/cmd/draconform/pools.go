// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/diagnose"
)

// printedPools are pools as JSON and YAML.
type printedPools struct {
	Pools []diagnose.Pool `json:"pools"`
	Notes []string        `json:"notes,omitempty"`
}

func newPools(connect connector) *cobra.Command {
	f := liveFlags{connect: connect}
	var filter diagnose.Filter
	cmd := &cobra.Command{
		Use:   "pools",
		Short: "Show which devices of a cluster are free, and who holds the others",
		Long: `Show which devices of a cluster are free, and which claims and pods hold the others,
by pool. A device is

    free     if a claim can have it;
    held     if a claim has it;
    shared   if claims have shares of it, with how much of its capacity is used;
    blocked  if devices in use leave too little of a counter (partitionable devices);
    tainted  if only claims with a toleration can have it.

Counters are drawn: "." is free, and a letter stands for the device that uses it.
Devices that a claim holds although the driver no longer publishes them are listed, too.

The cluster is only read, with the verb list. Any cluster that serves resource.k8s.io/v1
is suitable, which is Kubernetes 1.34 and later.`,
		Example: `  draconform pools
  draconform pools --node worker-1
  draconform pools --driver gpu.example.com -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cluster, err := f.read(cmd)
			if err != nil {
				return err
			}
			pools, err := cluster.Pools(filter)
			if errors.Is(err, diagnose.ErrNoNode) {
				return usageError(err)
			}
			if err != nil {
				return err
			}
			return f.print(cmd, printedPools{pools, cluster.Notes}, poolsText(pools, cluster.Notes))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.Node, "node", "", "only pools and devices that this node can use")
	flags.StringVar(&filter.Driver, "driver", "", "only pools of this driver")
	flags.StringVar(&filter.Pool, "pool", "", "only pools with this name")
	f.add(cmd)
	_ = cmd.RegisterFlagCompletionFunc("driver", f.completeSlices(func(driver, _ string) string { return driver }))
	_ = cmd.RegisterFlagCompletionFunc("pool", f.completeSlices(func(_, pool string) string { return pool }))
	return cmd
}

func poolsText(pools []diagnose.Pool, notes []string) string {
	var b strings.Builder
	if len(pools) == 0 {
		b.WriteString("no pools: no ResourceSlice is published, or none is selected\n")
	}
	for _, pool := range pools {
		b.WriteString(pool.String())
	}
	for _, note := range notes {
		b.WriteString("note: " + note + "\n")
	}
	return b.String()
}
