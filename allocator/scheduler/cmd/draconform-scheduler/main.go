// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command draconform-scheduler is kube-scheduler with the bundled allocator. It accepts the same flags and the
// same configuration.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // metrics of the client
	_ "k8s.io/component-base/metrics/prometheus/version"  // metric of the version
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"

	"github.com/draconform/draconform/allocator/scheduler"
	"github.com/draconform/draconform/allocator/scheduler/internal/defaults"
)

func main() {
	defaults.UseOurs(scheme.Scheme)
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(scheduler.Name, scheduler.New))))
}
