// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind_test

import (
	"context"
	"fmt"
	"os"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
)

// A cluster of the newest release with all DRA feature gates enabled.
func ExampleProvider() {
	create := func(ctx context.Context) error {
		e, err := engine.Find(ctx)
		if err != nil {
			return err
		}
		release := clusters.Newest()
		alpha, err := gates.Parse("alpha", release)
		if err != nil {
			return err
		}
		provider := kind.New(e, kind.Options{
			Name: "example", Run: "example", Release: release, Gates: alpha, Workers: 1, Progress: progress.New(os.Stdout),
		})
		kubeconfig, err := provider.Create(ctx)
		if err != nil {
			return err
		}
		fmt.Println("use it: export KUBECONFIG=" + kubeconfig)
		return provider.Destroy(ctx)
	}
	if err := create(context.Background()); err != nil {
		fmt.Println(err)
	}
}
