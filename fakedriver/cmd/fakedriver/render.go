// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/publish"
)

// releases are the Kubernetes releases for shell completion: those that have their
// own form and those that are in use.
var releases = []string{"1.34", "1.35", "1.36", latestRelease}

const latestRelease = "1.37"

func renderCommand() *cobra.Command {
	var flags deviceFlags
	var driver, node, release string
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Print the ResourceSlices of a node, or of a topology, as YAML",
		Long: "Print the ResourceSlices of a node, or of a topology, as YAML: as they are published in a release of\n" +
			"Kubernetes whose features for partitions (DRAPartitionableDevices) and for shared devices\n" +
			"(DRAConsumableCapacity) are enabled. The driver detects disabled features and omits the devices that need them.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			driver = flags.driverName(driver)
			if err := flags.checkNames(driver, node); err != nil {
				return err
			}
			slices, err := flags.slices(driver, node, release)
			if err != nil {
				return err
			}
			return render(cmd.OutOrStdout(), slices)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&driver, "driver", "", "name of the DRA driver, "+defaultDriver+" if empty, "+topologiesDriver+" for a topology")
	cmd.Flags().StringVar(&node, "node", "", "name of the node")
	cmd.Flags().StringVar(&release, "release", latestRelease, "release of Kubernetes that the ResourceSlices are for")
	complete(cmd, "release", cobra.ShellCompDirectiveNoFileComp, releases)
	cmd.MarkFlagsOneRequired("node", "topology")
	cmd.MarkFlagsMutuallyExclusive("node", "topology")
	return cmd
}

// slices lays out the devices that the flags select.
func (f *deviceFlags) slices(driver, node, release string) ([]*resourceapi.ResourceSlice, error) {
	form, err := publish.FormOf(release)
	if err != nil {
		return nil, err
	}
	if f.topology != "" {
		return f.poolSlices(driver, release, form)
	}
	inventory, err := f.inventory(node)
	if err != nil {
		return nil, err
	}
	if err := publish.Check(inventory, form); err != nil {
		return nil, fmt.Errorf("publish devices for Kubernetes %s: %w", release, err)
	}
	slices := publish.NodeObjects(driver, node, publish.Slices(inventory, form))
	for _, slice := range slices {
		if _, err := affinity.Annotate(slice, inventory.Affinity); err != nil {
			return nil, err
		}
	}
	return slices, nil
}

// poolSlices lays out the complete pool of a topology, with all hosts.
func (f *deviceFlags) poolSlices(driver, release string, form publish.Form) ([]*resourceapi.ResourceSlice, error) {
	loaded, err := loadTopology(f.topology)
	if err != nil {
		return nil, err
	}
	layout, err := loaded.Pool(loaded.Nodes()).Slices(form)
	if err != nil {
		return nil, fmt.Errorf("publish topology %s for Kubernetes %s: %w", loaded.Name(), release, err)
	}
	return publish.Objects(driver, loaded.Name(), layout), nil
}

// checkNames validates the names of the driver and of the node. The slices of a
// topology have no node name.
func (f *deviceFlags) checkNames(driver, node string) error {
	if len(driver) > resourceapi.DriverNameMaxLength {
		return fmt.Errorf("--driver has %d characters, at most %d are allowed", len(driver), resourceapi.DriverNameMaxLength)
	}
	for _, flag := range []struct{ name, value string }{{"--driver", driver}, {"--node", node}} {
		if flag.name == "--node" && f.topology != "" {
			continue
		}
		if len(validation.IsDNS1123Subdomain(flag.value)) > 0 {
			return fmt.Errorf("%s %q is not a DNS subdomain", flag.name, flag.value)
		}
	}
	return nil
}

// render writes one YAML document per slice.
func render(out io.Writer, slices []*resourceapi.ResourceSlice) error {
	for _, slice := range slices {
		document, err := yaml.Marshal(slice)
		if err != nil {
			return fmt.Errorf("encode ResourceSlice %s: %w", slice.Name, err)
		}
		if _, err := fmt.Fprintf(out, "---\n%s", document); err != nil {
			return fmt.Errorf("print ResourceSlice %s: %w", slice.Name, err)
		}
	}
	return nil
}
