package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/plugin"
)

func pluginCommand() *cobra.Command {
	var flags inventoryFlags
	var kubeconfig string
	config := plugin.Config{Inventory: inventoryOf, Exit: os.Exit}
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Publish the devices of a node and prepare claims for them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if config.NodeName == "" {
				return errors.New("--node-name or the environment variable NODE_NAME must be set")
			}
			devices, err := flags.devices()
			if err != nil {
				return err
			}
			client, err := newClient(kubeconfig)
			if err != nil {
				return err
			}
			config.Published.Devices, config.Client = devices, client
			return plugin.Run(cmd.Context(), config)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&config.DriverName, "driver-name", defaultDriver, "name of the DRA driver")
	cmd.Flags().StringVar(&config.NodeName, "node-name", os.Getenv("NODE_NAME"), "name of the node")
	cmd.Flags().StringVar(&config.PluginsDir, "plugins-dir", kubeletplugin.KubeletPluginsDir, "directory in which the plugin has its own, by the name of the driver")
	cmd.Flags().StringVar(&config.RegistryDir, "registry-dir", kubeletplugin.KubeletRegistryDir, "directory where the kubelet looks for plugins")
	cmd.Flags().StringVar(&config.CDIDir, "cdi-dir", "/var/run/cdi", "directory where the container runtime looks for CDI specs")
	cmd.Flags().StringVar(&config.Address, "http-address", fmt.Sprintf(":%d", control.Port), "TCP address for HTTP requests to /readyz and to the control endpoint")
	cmd.Flags().StringVar(&config.TokenFile, "control-token-file", "", "file with the token for the control endpoint, which is closed without")
	cmd.Flags().BoolVar(&config.DeviceMetadata, "device-metadata", true, "give containers the standard files with the attributes of their devices (KEP-5304)")
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig file, the pod's service account if empty")
	return cmd
}

// devices are those of the flags, as the control endpoint has them. Mistakes are
// found before anything is touched.
func (f *inventoryFlags) devices() (control.Devices, error) {
	if _, err := f.inventory("node"); err != nil {
		return control.Devices{}, err
	}
	if f.file == "" {
		return control.Devices{Model: f.model, GPUs: f.gpus}, nil
	}
	description, err := os.ReadFile(f.file)
	if err != nil {
		return control.Devices{}, fmt.Errorf("read description: %w", err)
	}
	return control.Devices{Description: string(description)}, nil
}

// inventoryOf compiles what flags or the control endpoint ask for.
func inventoryOf(node string, devices control.Devices) (*describe.Inventory, error) {
	switch {
	case devices.Description == "":
	case devices.Model != "" || devices.GPUs != 0:
		return nil, errors.New("devices are either a description or a number of GPUs of a model")
	default:
		return describe.Compile([]byte(devices.Description))
	}
	if devices.GPUs < 1 {
		return nil, fmt.Errorf("the number of GPUs must be at least 1, not %d", devices.GPUs)
	}
	gpu, err := model.Load(devices.Model)
	if err != nil {
		return nil, err
	}
	return gpu.Inventory(node, devices.GPUs), nil
}

const (
	// qps and burst are how often the API server is asked: many drivers share
	// a client, and specs wait for them.
	qps   = 50
	burst = 100
)

func newClient(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("load client configuration: %w", err)
	}
	config.QPS, config.Burst = qps, burst
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	return client, nil
}
