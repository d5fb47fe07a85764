// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command classic-v1alpha2 is a fake driver of classic DRA (KEP-3063) for Kubernetes 1.30.
// Its control plane controller allocates the claims of classes that name the driver,
// immediately or for a pod, and its plugin makes the devices visible in containers. It has
// the devices of the driver for 1.31.
package main

import (
	"github.com/draconform/draconform/fakedriver/classic/command"
	"github.com/draconform/draconform/fakedriver/classic/v1alpha2/controller"
	"github.com/draconform/draconform/fakedriver/classic/v1alpha2/node"
)

func main() {
	command.Main("classic-v1alpha2", map[string]command.Command{
		"controller": command.ForController(controller.Run),
		"plugin":     command.ForPlugin(node.Run),
	})
}
