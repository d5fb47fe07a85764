package engine

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestExec(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t, answer{Args: "exec c cat", Stdout: "text\n"}, answer{Args: "exec --interactive c tee"})
	out, err := e.Exec(t.Context(), "c", nil, "cat", "/a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(Equal("text"))
	_, err = e.Exec(t.Context(), "c", strings.NewReader("to read"), "tee", "/a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(f.Lines()).To(Equal([]string{"docker exec c cat /a", "docker exec --interactive c tee /a"}))
	g.Expect(f.Calls()[1].Stdin).To(Equal("to read"))
}
