// Command fakedriver is a DRA driver for devices that do not exist.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/model"
)

func main() {
	// Repeated signals end the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := command().ExecuteContext(ctx)
	klog.Flush()
	if err != nil {
		fmt.Fprintf(os.Stderr, "fakedriver: %v\n", err)
		os.Exit(1)
	}
}

// command returns the whole command line. A command fails with exit code 1,
// and ends with 0 when it is told to stop.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "fakedriver",
		Short:         "A DRA driver for devices that do not exist",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var logging flag.FlagSet
	klog.InitFlags(&logging)
	root.PersistentFlags().AddGoFlag(logging.Lookup("v"))
	root.AddCommand(pluginCommand(), renderCommand())
	return root
}

// inventoryFlags are the flags that say what a node has.
type inventoryFlags struct {
	driver string
	model  string
	gpus   int
}

func (f *inventoryFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.driver, "driver-name", "mig.draconform.dev", "name of the DRA driver")
	cmd.Flags().StringVar(&f.model, "model", "a100-40gb", "model of the GPUs of a node")
	cmd.Flags().IntVar(&f.gpus, "gpus", 1, "number of GPUs of a node")
}

func (f *inventoryFlags) inventory(node string) (*model.Inventory, error) {
	if f.gpus < 1 {
		return nil, fmt.Errorf("--gpus must be at least 1, not %d", f.gpus)
	}
	gpu, err := model.Load(f.model)
	if err != nil {
		return nil, err
	}
	return gpu.Inventory(node, f.gpus), nil
}
