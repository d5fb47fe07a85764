// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command classic is a fake driver of classic DRA (KEP-3063) for Kubernetes 1.31. Its
// control plane controller allocates claims with spec.controller, and its plugin makes
// the devices visible in containers. The devices are those of a network, which any node
// can use, or of nodes.
package main

import (
	"github.com/draconform/draconform/fakedriver/classic/command"
	"github.com/draconform/draconform/fakedriver/classic/controller"
	"github.com/draconform/draconform/fakedriver/classic/node"
)

func main() {
	command.Main("classic", map[string]command.Command{
		"controller": command.ForController(controller.Run),
		"plugin":     command.ForPlugin(node.Run),
	})
}
