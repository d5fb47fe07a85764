// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/engine"
)

// healthy returns the readings of a machine without problems.
func healthy() Readings {
	return Readings{
		Engine: read(Engine{Name: "docker", Info: engine.Info{
			Version: "28.2.2", CgroupVersion: 2, StorageDriver: "overlay2", DataRoot: "/var/lib/docker",
		}}, nil),
		Machine:          read(Machine{CgroupVersion: 2, DataRoot: "/var/lib/docker", MemoryBytes: 16 * gib, Cores: 8}, nil),
		Privileged:       read(Privileged{Tried: true}, nil),
		DiskFree:         read(uint64(100*gib), nil),
		InotifyInstances: read(1024, nil),
		InotifyWatches:   read(524288, nil),
		Overlay:          read(true, nil),
		GoVersion:        read("go version go1.26.8 linux/amd64", nil),
		Mmdebstrap:       read("/usr/bin/mmdebstrap", nil),
	}
}

// fakeHost is a host with fixed readings.
type fakeHost Readings

func (h fakeHost) Read(context.Context) Readings { return Readings(h) }

var errBroken = errors.New("broken")

func TestCheckOfAHealthyMachine(t *testing.T) {
	g := NewWithT(t)
	results := Check(t.Context(), fakeHost(healthy()))
	g.Expect(results).To(HaveLen(11))
	g.Expect(results).To(HaveEach(And(HaveField("Status", OK), HaveField("Advice", BeEmpty()))))
	g.Expect(Failed(results)).To(BeFalse())
}

func TestCheckWithoutAnEngine(t *testing.T) {
	g := NewWithT(t)
	r := healthy()
	r.Engine = read(Engine{}, engine.ErrNone)
	results := Check(t.Context(), fakeHost(r))
	g.Expect(Failed(results)).To(BeTrue())
	g.Expect(results).NotTo(ContainElement(HaveField("Name", "privileged containers")), "one failure per cause")
	g.Expect(results).To(ContainElement(HaveField("Name", "memory")), "this machine is read instead")
}

func TestCheckOutsideOfLinux(t *testing.T) {
	g := NewWithT(t)
	r := healthy()
	r.InotifyInstances = read(0, error(&fs.PathError{Op: "open", Path: "/proc", Err: fs.ErrNotExist}))
	r.InotifyWatches, r.Overlay.Err = r.InotifyInstances, fs.ErrNotExist
	g.Expect(Check(t.Context(), fakeHost(r))).To(HaveLen(8))
}

func TestEachProblemHasAdvice(t *testing.T) {
	g := NewWithT(t)
	broken := Readings{
		Engine:           read(Engine{}, errBroken),
		Machine:          read(Machine{}, errBroken),
		DiskFree:         read(uint64(0), errBroken),
		InotifyInstances: read(0, errBroken),
		InotifyWatches:   read(0, errBroken),
		Overlay:          read(false, errBroken),
		GoVersion:        read("", errBroken),
		Mmdebstrap:       read("", errBroken),
	}
	results := Check(t.Context(), fakeHost(broken))
	g.Expect(results).To(HaveLen(10))
	g.Expect(results).To(HaveEach(And(HaveField("Status", Not(Equal(OK))), HaveField("Advice", Not(BeEmpty())))))
}

func TestPrint(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(Print(&out, []Result{
		{Name: "cores", Status: OK, Read: "2"},
		{Name: "inotify instances", Status: Warn, Read: "128, little for five nodes", Advice: "raise the limit"},
		{Name: "memory", Status: Fail, Read: "1.0 GiB", Advice: "buy some"},
	})).To(Succeed())
	g.Expect(out.String()).To(Equal(`ok    cores              2
warn  inotify instances  128, little for five nodes
                         -> raise the limit
fail  memory             1.0 GiB
                         -> buy some
`))
}
