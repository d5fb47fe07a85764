package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/fakedriver/publish"
)

func renderCommand() *cobra.Command {
	var flags inventoryFlags
	var driver, node, release string
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Print the ResourceSlices of a node as YAML",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkNames(driver, node); err != nil {
				return err
			}
			form, err := publish.FormOf(release)
			if err != nil {
				return err
			}
			inventory, err := flags.inventory(node)
			if err != nil {
				return err
			}
			if err := publish.Check(inventory, form); err != nil {
				return fmt.Errorf("publish devices for Kubernetes %s: %w", release, err)
			}
			return render(cmd.OutOrStdout(), publish.Objects(driver, node, publish.Slices(inventory, form)))
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&driver, "driver", defaultDriver, "name of the DRA driver")
	cmd.Flags().StringVar(&node, "node", "", "name of the node")
	cmd.Flags().StringVar(&release, "release", "1.37", "release of Kubernetes that the ResourceSlices are for")
	if err := cmd.MarkFlagRequired("node"); err != nil {
		panic(err) // The flag exists.
	}
	return cmd
}

// checkNames checks what every ResourceSlice has beside the inventory.
func checkNames(driver, node string) error {
	if len(driver) > resourceapi.DriverNameMaxLength {
		return fmt.Errorf("--driver has %d characters, at most %d are allowed", len(driver), resourceapi.DriverNameMaxLength)
	}
	for _, flag := range []struct{ name, value string }{{"--driver", driver}, {"--node", node}} {
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
