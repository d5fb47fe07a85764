// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/fakedriver/multihost"
)

func controllerCommand() *cobra.Command {
	var name, kubeconfig string
	var config multihost.Config
	hostname, _ := os.Hostname() // A missing hostname is reported later as a missing identity.
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Publish devices that span hosts",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if config.Topology, err = loadTopology(name); err != nil {
				return err
			}
			if config.Client, err = newClient(kubeconfig); err != nil {
				return err
			}
			return multihost.Run(cmd.Context(), config)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&config.DriverName, "driver-name", topologiesDriver, "name of the DRA driver, and of the lease")
	addTopologyFlag(cmd, &name, "4x4")
	flags.BoolVar(&config.AssignByName, "assign-hosts-by-name", false, "assign worker nodes to hosts in the order of their names, not by the topology's label")
	flags.BoolVar(&config.RequireReady, "require-ready-nodes", false, "do not publish devices as available if they span a node that is not ready")
	flags.StringVar(&config.Namespace, "namespace", os.Getenv("POD_NAMESPACE"), "namespace of the lease")
	flags.StringVar(&config.Identity, "identity", hostname, "identity of the replica in the lease")
	flags.DurationVar(&config.LeaseDuration, "lease-duration", 0, "time until other replicas replace a leader that does not renew the lease, 15s if zero")
	flags.StringVar(&config.ReadinessAddress, "readiness-address", ":8080", "TCP address for HTTP requests to /readyz")
	flags.StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig file, the pod's service account if empty")
	return cmd
}
