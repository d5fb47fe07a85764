// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// loggingDriver is a driver that may allow to read its logs.
type loggingDriver struct {
	operations.Drivers
	lacks string
	nodes []string
	since time.Time
}

func (d *loggingDriver) Lacks(string, operations.DriverOperation) string { return d.lacks }

func (d *loggingDriver) Logs(_ context.Context, _ string, nodes []string, since time.Time) ([]operations.DriverLog, error) {
	d.nodes, d.since = nodes, since
	return []operations.DriverLog{{Pod: "plugin", Content: []byte("now")}, {Pod: "plugin", Previous: true, Content: []byte("before")}}, errors.New("one is missing")
}

// The driver's log often has the reason of a failure.
func TestDumpHasTheLogsOfDrivers(t *testing.T) {
	g := NewWithT(t)
	driver, started := &loggingDriver{}, time.Now()
	e := envOf(driver)
	e.Started = started
	dir := t.TempDir()
	g.Expect(dump(t.Context(), e, dir)).To(MatchError(ContainSubstring("one is missing")))
	g.Expect(string(read(t, dir, "driver.plugin.log"))).To(Equal("now"))
	g.Expect(string(read(t, dir, "driver.plugin-previous.log"))).To(Equal("before"))
	g.Expect(driver.nodes).To(Equal([]string{"node-1", "node-2"}), "those of the spec's pods, each once")
	g.Expect(driver.since).To(Equal(started))
}

func TestDumpHasNoLogsOfDriversThatDoNotAllowIt(t *testing.T) {
	g := NewWithT(t)
	for _, drivers := range []operations.Drivers{nil, &loggingDriver{lacks: "add allow.logs"}} {
		dir := t.TempDir()
		g.Expect(dump(t.Context(), envOf(drivers), dir)).To(Succeed())
		entries, err := os.ReadDir(dir)
		g.Expect(err).NotTo(HaveOccurred())
		for _, entry := range entries {
			g.Expect(entry.Name()).NotTo(HavePrefix("driver."))
		}
	}
}

// controllers logs the names of drivers, except for those that never ran.
type controllers struct{ operations.ClassicControllers }

func (controllers) Log(driver string) ([]byte, error) {
	if driver == "absent" {
		return nil, errors.New("no controller of absent has run")
	}
	return []byte("controller of " + driver), nil
}

// A spec that judges a driver that it has started itself cannot be understood without the
// log of the driver.
func TestDumpHasTheLogsOfControllersOfTheSpec(t *testing.T) {
	g := NewWithT(t)
	e, dir := envOf(nil), t.TempDir()
	e.ClassicControllers, e.ClassicDrivers = controllers{}, []string{"absent", "a.example.com"}
	g.Expect(dump(t.Context(), e, dir)).To(MatchError(ContainSubstring("no controller of absent has run")))
	g.Expect(string(read(t, dir, "driver.a.example.com.log"))).To(Equal("controller of a.example.com"))
}

// envOf returns the environment of a spec with pods on two nodes.
func envOf(drivers operations.Drivers) *env.Env {
	on := func(name, node string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: named(name), Spec: corev1.PodSpec{NodeName: node}}
	}
	return &env.Env{
		Client: fake.NewClientset(on("a", "node-2"), on("b", "node-1"), on("c", "node-2"), on("pending", "")), Namespace: "spec", Drivers: drivers,
		Subject: subject.Subject{Shared: &subject.Shared{Share: subject.Device{Driver: "gpu.example.com"}}},
	}
}
