// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package results

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// folderOf creates the folder of a run with a report and the artifacts of a spec.
func folderOf(t *testing.T, parent string) string {
	t.Helper()
	g := NewWithT(t)
	folder := filepath.Join(parent, "20260102-030405-a1b2")
	g.Expect(os.MkdirAll(filepath.Join(folder, "artifacts", "spec"), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(folder, "report.yaml"), []byte("kind: Report\n"), 0o644)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(folder, "artifacts", "spec", "pods.yaml"), []byte("kind: PodList\n"), 0o600)).To(Succeed())
	return folder
}

// extracted returns the contents of the files of an archive by their names.
func extracted(t *testing.T, archive string) map[string]string {
	t.Helper()
	g := NewWithT(t)
	f, err := os.Open(archive)
	g.Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	dir := t.TempDir()
	g.Expect(Extract(f, dir)).To(Succeed())
	return contents(t, dir)
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	g := NewWithT(t)
	all := map[string]string{}
	g.Expect(filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[rel] = string(content)
		return err
	})).To(Succeed())
	return all
}

// Sonobuoy's worker opens the content of the mark as a path, as another user, as
// soon as the mark exists.
func TestFinishMarksTheArchive(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(Begin(dir)).To(Succeed())
	g.Expect(Finish(dir, folderOf(t, dir), nil)).To(Succeed())
	mark, err := os.ReadFile(filepath.Join(dir, "done"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(mark)).To(Equal(filepath.Join(dir, "results.tar.gz")))
	for _, name := range []string{"done", "results.tar.gz"} {
		info, err := os.Stat(filepath.Join(dir, name))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o644)), name)
	}
	g.Expect(extracted(t, string(mark))).To(Equal(map[string]string{
		"20260102-030405-a1b2/report.yaml":              "kind: Report\n",
		"20260102-030405-a1b2/artifacts/spec/pods.yaml": "kind: PodList\n",
	}))
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(BeEmpty(), "no temporary files are left")
}

func TestFinishResolvesARelativeDirectory(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	g.Expect(Begin("results")).To(Succeed())
	g.Expect(Finish("results", folderOf(t, "results"), nil)).To(Succeed())
	mark, err := os.ReadFile("results/done")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(filepath.IsAbs(string(mark))).To(BeTrue())
	g.Expect(string(mark)).To(BeARegularFile())
}

// A run that could not be completed also has results: the reason.
func TestFinishAfterAnErrorOfTheRun(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	folder := filepath.Join(dir, "20260102-030405-a1b2") // which the run has not created
	g.Expect(Finish(dir, folder, errors.New("profile \"x\" is not known"))).To(Succeed())
	g.Expect(extracted(t, filepath.Join(dir, ArchiveFile))).To(Equal(map[string]string{
		"20260102-030405-a1b2/error.txt": "profile \"x\" is not known\n",
	}))
	g.Expect(filepath.Join(dir, DoneFile)).To(BeARegularFile())
}

// Sonobuoy waits for the mark until its timeout of hours.
func TestFinishMarksResultsWithoutAnArchive(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	err := Finish(dir, filepath.Join(dir, "missing"), nil)
	g.Expect(err).To(MatchError(ContainSubstring("write the archive of the results: archive ")))
	mark, err := os.ReadFile(filepath.Join(dir, DoneFile))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.ReadFile(string(mark))).To(ContainSubstring("no such file"))
	g.Expect(filepath.Join(dir, ArchiveFile)).NotTo(BeAnExistingFile(), "no partial archive is left")
}

func TestBeginRemovesOlderResults(t *testing.T) {
	g := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "new", "results")
	g.Expect(Begin(dir)).To(Succeed())
	g.Expect(Finish(dir, folderOf(t, dir), nil)).To(Succeed())
	g.Expect(Begin(dir)).To(Succeed())
	g.Expect(filepath.Join(dir, DoneFile)).NotTo(BeAnExistingFile())
	g.Expect(filepath.Join(dir, ArchiveFile)).NotTo(BeAnExistingFile())
	g.Expect(filepath.Join(dir, "20260102-030405-a1b2", "report.yaml")).To(BeARegularFile(), "the folders of runs are kept")
}

func TestBeginFindsAnUnusableDirectory(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "file")
	g.Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
	g.Expect(Begin(file)).To(MatchError(HavePrefix("make the directory for results: ")))
}
