// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/plugin"
)

// Versions of the checkpoint format.
const (
	oldestCheckpoint = 1
	newestCheckpoint = 2
)

func pluginCommand() *cobra.Command {
	var flags deviceFlags
	var kubeconfig string
	var assignByName bool
	var checkpoint int
	config := plugin.Config{Inventory: inventoryOf, Exit: restart}
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Publish the devices of a node and prepare claims for them",
		Long: "Publish the devices of a node and prepare claims for them. The devices of a topology, which span\n" +
			"nodes, are published by the command controller; the plugin prepares its node's part of them.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if config.NodeName == "" {
				return errors.New("--node-name or the environment variable NODE_NAME must be set")
			}
			devices, err := flags.checked(assignByName)
			if err != nil {
				return err
			}
			client, err := newClient(kubeconfig)
			if err != nil {
				return err
			}
			if checkpoint < oldestCheckpoint || checkpoint > newestCheckpoint {
				return fmt.Errorf("--checkpoint-version must be %d or %d, not %d", oldestCheckpoint, newestCheckpoint, checkpoint)
			}
			config.OlderCheckpoint = checkpoint < newestCheckpoint
			config.Published.Devices, config.Client = devices, client
			config.DriverName = flags.driverName(config.DriverName)
			return plugin.Run(cmd.Context(), config)
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&assignByName, "assign-hosts-by-name", false, "assign worker nodes to hosts in the order of their names, as a controller with the same flag does")
	cmd.Flags().StringVar(&config.DriverName, "driver-name", "", "name of the DRA driver, "+defaultDriver+" if empty, "+topologiesDriver+" for a topology")
	cmd.Flags().StringVar(&config.NodeName, "node-name", os.Getenv("NODE_NAME"), "name of the node")
	cmd.Flags().StringVar(&config.PluginsDir, "plugins-dir", kubeletplugin.KubeletPluginsDir, "directory that contains the plugin's own directory, which has the name of the driver")
	cmd.Flags().StringVar((*string)(&config.PodUID), "pod-uid", "", "UID of the plugin's pod, required if two versions may run on the node during a rolling update")
	cmd.Flags().IntVar(&checkpoint, "checkpoint-version", newestCheckpoint, "version of the checkpoint format: 2 with a checksum, or 1 without, as in the previous version; both can be read")
	cmd.Flags().StringVar(&config.RegistryDir, "registry-dir", kubeletplugin.KubeletRegistryDir, "directory where the kubelet looks for plugins")
	cmd.Flags().StringVar(&config.CDIDir, "cdi-dir", "/var/run/cdi", "directory where the container runtime looks for CDI specs")
	cmd.Flags().StringVar(&config.Address, "http-address", fmt.Sprintf(":%d", control.Port), "TCP address for HTTP requests to /readyz and to the control endpoint")
	cmd.Flags().StringVar(&config.TokenFile, "control-token-file", "", "file with the token for the control endpoint, which rejects all requests without it")
	cmd.Flags().BoolVar(&config.DeviceMetadata, "device-metadata", true, "provide containers with the standard files with the attributes of their devices (KEP-5304)")
	cmd.Flags().BoolVar(&config.DeviceStatus, "device-status", false, "write the status of prepared devices into their claims (KEP-4817), which needs additional permissions")
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig file, the pod's service account if empty")
	return cmd
}

// checked validates the flags and returns the devices in the form of the
// control endpoint. Errors are reported before anything is changed.
func (f *deviceFlags) checked(assignByName bool) (control.Devices, error) {
	devices, err := f.devices()
	switch {
	case err != nil:
	case f.topology != "":
		_, err = loadTopology(f.topology)
	case assignByName:
		err = errors.New("--assign-hosts-by-name is for the hosts of a topology, --topology is not set")
	default:
		_, err = f.inventory("node")
	}
	devices.AssignHostsByName = assignByName
	return devices, err
}

const (
	// dialTimeout limits the time for connecting to the API server.
	dialTimeout = 3 * time.Second
	// keepAlive is the interval of keep-alive probes on an idle connection.
	keepAlive = 30 * time.Second
	// qps and burst limit the rate of requests to the API server. The limits
	// are high because many drivers share a client, and specs wait for the
	// drivers.
	qps   = 50
	burst = 100
)

func newClient(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("load client configuration: %w", err)
	}
	config.QPS, config.Burst = qps, burst
	// On a node that has just started, connections may fail until the rules of
	// its service proxy exist. Early retries are faster than long timeouts.
	config.Dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).DialContext
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	return client, nil
}
