// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/draconform/draconform/fakedriver/classic/command"
	"github.com/draconform/draconform/fakedriver/classic/node"
)

// pluginOptions are the flags of the plugin.
type pluginOptions struct {
	*command.Common
	node.Options

	node, cdiDir string
}

func pluginCommand(flags *flag.FlagSet, c *command.Common) func(context.Context) error {
	o := pluginOptions{Common: c}
	flags.StringVar(&o.node, "node-name", os.Getenv("NODE_NAME"), "name of the node (default $NODE_NAME)")
	flags.StringVar(&o.PluginsDir, "plugins-dir", "/var/lib/kubelet/plugins", "directory of the kubelet for sockets of plugins")
	flags.StringVar(&o.RegistryDir, "registry-dir", "/var/lib/kubelet/plugins_registry", "directory of the kubelet for the registration of plugins")
	flags.StringVar(&o.cdiDir, "cdi-dir", "/var/run/cdi", "directory of the container runtime for CDI specs")
	flags.StringVar(&o.Address, "ready-address", ":8080", "address of the readiness probe")
	return func(ctx context.Context) error { return o.run(ctx) }
}

func (o pluginOptions) run(ctx context.Context) error {
	if o.node == "" {
		return errors.New("--node-name is required outside of a pod")
	}
	client, err := o.Client()
	if err != nil {
		return err
	}
	specs, err := node.NewSpecs(o.cdiDir, o.Driver)
	if err != nil {
		return err
	}
	plugin := &node.Plugin{Driver: o.Driver, Node: o.node, Client: client, Specs: specs}
	return plugin.Run(ctx, o.Options)
}
