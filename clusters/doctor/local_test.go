// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/engine"
)

// fakeEnv makes this test binary act as docker. Its value is the outcome of
// starting a privileged container.
const fakeEnv = "DRACONFORM_TEST_FAKE"

func TestMain(m *testing.M) {
	outcome, fake := os.LookupEnv(fakeEnv)
	if !fake {
		os.Exit(m.Run())
	}
	args := strings.Join(os.Args[1:], " ")
	switch {
	case args == "--version":
		fmt.Println("Docker version 28.2.2")
	case strings.HasPrefix(args, "version "):
		fmt.Println("28.2.2")
	case strings.HasPrefix(args, "info "):
		fmt.Println(`{"ServerVersion":"28.2.2","CgroupVersion":"2","Driver":"overlay2","DockerRootDir":"/","MemTotal":1024,"NCPU":3}`)
	case strings.HasPrefix(args, "import --change LABEL draconform.dev/run=doctor "):
		fmt.Println("sha256:empty")
	case args == "run --rm --privileged --network=none --label=draconform.dev/run=doctor sha256:empty /draconform-doctor":
		fmt.Fprintln(os.Stderr, "docker: Error response from daemon: "+outcome)
		os.Exit(127)
	case args == "image rm sha256:empty":
		if err := os.WriteFile(filepath.Join(filepath.Dir(os.Getenv("PATH")), "removed"), nil, 0o600); err != nil {
			panic(err)
		}
	default:
		fmt.Fprintln(os.Stderr, "fake docker has no answer to: "+args)
		os.Exit(99)
	}
}

// fakeDocker puts a fake docker on an otherwise empty PATH. It returns the path
// of a file that the fake creates when its image is removed.
func fakeDocker(t *testing.T, outcome string) (removed string) {
	t.Helper()
	g := NewWithT(t)
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	dir := filepath.Join(t.TempDir(), "bin")
	g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
	g.Expect(os.Symlink(self, filepath.Join(dir, "docker"))).To(Succeed())
	t.Setenv("PATH", dir)
	t.Setenv(fakeEnv, outcome)
	t.Setenv(engine.EnvName, "")
	// Under the race detector, the fake would otherwise sleep for a second at
	// exit.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	return filepath.Join(filepath.Dir(dir), "removed")
}

func TestLocalReadsTheEngine(t *testing.T) {
	g := NewWithT(t)
	removed := fakeDocker(t, `runc create failed: exec: "/draconform-doctor": stat /draconform-doctor: no such file or directory`)
	r := Local{}.Read(t.Context())
	g.Expect(r.Engine.Err).NotTo(HaveOccurred())
	g.Expect(r.Engine.Value.Name + " " + r.Engine.Value.Version).To(Equal("docker 28.2.2"))
	g.Expect(r.Machine).To(Equal(read(Machine{CgroupVersion: 2, DataRoot: "/", MemoryBytes: 1024, Cores: 3}, nil)))
	g.Expect(r.DiskFree.Err).NotTo(HaveOccurred())
	g.Expect(r.Overlay).To(Equal(read(true, nil)), "the engine uses it")
	g.Expect(r.Privileged.Err).NotTo(HaveOccurred())
	g.Expect(r.Privileged.Value.Tried).To(BeTrue())
	g.Expect(r.Privileged.Value.StartErr).NotTo(HaveOccurred(), "only the command was missing")
	g.Expect(removed).To(BeAnExistingFile())
}

func TestLocalReadsTheErrorOfAPrivilegedContainer(t *testing.T) {
	g := NewWithT(t)
	removed := fakeDocker(t, "runc create failed: unable to apply caps: operation not permitted")
	r := Local{}.Read(t.Context())
	g.Expect(r.Privileged.Err).NotTo(HaveOccurred())
	g.Expect(r.Privileged.Value.StartErr).To(MatchError(ContainSubstring("unable to apply caps")))
	g.Expect(removed).To(BeAnExistingFile())
}

func TestLocalWithoutAnEngine(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("PATH", t.TempDir())
	t.Setenv(engine.EnvName, "")
	r := Local{}.Read(t.Context())
	g.Expect(r.Engine.Err).To(MatchError(engine.ErrNone))
	g.Expect(r.GoVersion.Err).To(HaveOccurred())
	g.Expect(r.Mmdebstrap.Err).To(HaveOccurred())
	g.Expect(r.CanInstall).To(BeFalse())
	g.Expect(r.Machine.Value.Cores).To(BeNumerically(">", 0))
}

func TestDiskFree(t *testing.T) {
	g := NewWithT(t)
	free, err := DiskFree(t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(free).To(BeNumerically(">", 0))
	_, err = DiskFree("/absent")
	g.Expect(err).To(MatchError(os.ErrNotExist))
	g.Expect(err).To(MatchError(HavePrefix("read the free disk in /absent")))
}

func TestMemTotal(t *testing.T) {
	g := NewWithT(t)
	total, err := memTotal([]byte("MemTotal:       24683836 kB\nMemFree:        17000000 kB\n"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(total).To(Equal(uint64(24683836 * 1024)))
	for _, content := range []string{"", "MemFree: 1 kB\n", "MemTotal: many kB\n", "MemTotal: 1 pages\n"} {
		_, err := memTotal([]byte(content))
		g.Expect(err).To(HaveOccurred(), content)
	}
}
