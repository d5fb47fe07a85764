package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/plugin"
)

func pluginCommand() *cobra.Command {
	var flags inventoryFlags
	var kubeconfig string
	var config plugin.Config
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Publish the devices of a node and prepare claims for them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if config.NodeName == "" {
				return errors.New("--node-name or the environment variable NODE_NAME must be set")
			}
			inventory, err := flags.inventory(config.NodeName)
			if err != nil {
				return err
			}
			client, err := newClient(kubeconfig)
			if err != nil {
				return err
			}
			config.Inventory, config.Client = inventory, client
			return plugin.Run(cmd.Context(), config)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&config.DriverName, "driver-name", defaultDriver, "name of the DRA driver")
	cmd.Flags().StringVar(&config.NodeName, "node-name", os.Getenv("NODE_NAME"), "name of the node")
	cmd.Flags().StringVar(&config.PluginsDir, "plugins-dir", kubeletplugin.KubeletPluginsDir, "directory in which the plugin has its own, by the name of the driver")
	cmd.Flags().StringVar(&config.RegistryDir, "registry-dir", kubeletplugin.KubeletRegistryDir, "directory where the kubelet looks for plugins")
	cmd.Flags().StringVar(&config.CDIDir, "cdi-dir", "/var/run/cdi", "directory where the container runtime looks for CDI specs")
	cmd.Flags().StringVar(&config.ReadinessAddress, "readiness-address", ":8080", "TCP address for HTTP requests to /readyz")
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig file, the pod's service account if empty")
	return cmd
}

func newClient(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("load client configuration: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	return client, nil
}
