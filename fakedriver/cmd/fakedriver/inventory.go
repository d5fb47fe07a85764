package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/model"
)

// defaultDriver is the name under which the suite installs this driver.
const defaultDriver = "mig.draconform.dev"

// inventoryFlags are the flags that say what a node has.
type inventoryFlags struct {
	file  string
	model string
	gpus  int
}

func (f *inventoryFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.file, "file", "f", "", "description of the devices of a node, instead of a model")
	cmd.Flags().StringVar(&f.model, "model", "a100-40gb", "model of the GPUs of a node, one of "+strings.Join(model.Names(), ", "))
	cmd.Flags().IntVar(&f.gpus, "gpus", 1, "number of GPUs of a node")
	cmd.MarkFlagsMutuallyExclusive("file", "model")
	cmd.MarkFlagsMutuallyExclusive("file", "gpus")
}

func (f *inventoryFlags) inventory(node string) (*describe.Inventory, error) {
	if f.file != "" {
		return readInventory(f.file)
	}
	if f.gpus < 1 {
		return nil, fmt.Errorf("--gpus must be at least 1, not %d", f.gpus)
	}
	gpu, err := model.Load(f.model)
	if err != nil {
		return nil, err
	}
	return gpu.Inventory(node, f.gpus), nil
}

func readInventory(file string) (*describe.Inventory, error) {
	description, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read description: %w", err)
	}
	inventory, err := describe.Compile(description)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return inventory, nil
}
