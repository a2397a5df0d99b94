"""Where nbgrader finds the course and keeps a class.

    solutions/ ──generate_assignment──► assignments/ ──► students
    classes/submitted ──autograde──► classes/autograded ──generate_feedback──► classes/feedback
                                └──► classes/gradebook.db ──export──► classes/grades.csv

A class with its marks lives in one folder, classes/, which git ignores. Name another folder in the
environment variable CGKIT_CLASS to keep a class elsewhere; its releases go there too, so that
assignments/ stays as it is (`cgkit demo` keeps its class in build/demo this way).
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821 (given by nbgrader)

ROOT = Path(__file__).resolve().parent
ELSEWHERE = os.environ.get("CGKIT_CLASS", "")
CLASS = (ROOT / ELSEWHERE).resolve() if ELSEWHERE else ROOT / "classes"
EXCHANGE = CLASS / "exchange"
EXCHANGE.mkdir(parents=True, exist_ok=True)

# nbgrader runs `alembic` by name to make a gradebook; one made without it stays broken for good
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

c.CourseDirectory.course_id = "cgkit"
c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = str(CLASS / "release") if ELSEWHERE else "assignments"
c.CourseDirectory.submitted_directory = str(CLASS / "submitted")
c.CourseDirectory.autograded_directory = str(CLASS / "autograded")
c.CourseDirectory.feedback_directory = str(CLASS / "feedback")
c.CourseDirectory.db_url = f"sqlite:///{CLASS / 'gradebook.db'}"
c.Exchange.root = str(EXCHANGE)

# student code is graded behind fences, by the engine of `cgkit grade`; see cgkit/grading/bridge.py
BRIDGE = "cgkit.grading.bridge"
FOLDERS = "cgkit.grading.folders"
STEPS = "nbgrader.preprocessors"
c.GenerateAssignment.exporter_class = f"{FOLDERS}.ReleaseExporter"
c.Autograde.exporter_class = f"{BRIDGE}.GradingExporter"
c.Autograde.sanitize_preprocessors = [f"{BRIDGE}.GradeInside"]
c.Autograde.autograde_preprocessors = [f"{STEPS}.AssignLatePenalties"]
c.GenerateFeedback.exporter_class = f"{FOLDERS}.FeedbackExporter"
c.GenerateFeedback.preprocessors = [
    f"{STEPS}.GetGrades",
    f"{STEPS}.ClearHiddenTests",
    f"{BRIDGE}.ForStudents",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
c.ExportApp.plugin_class = f"{BRIDGE}.SafeCsv"
c.ExportPlugin.to = str(CLASS / "grades.csv")  # marks stay where git does not look

# Validate runs a student's notebook on their own machine: seconds for one cell
c.Execute.timeout = 20
c.Execute.iopub_timeout = 20

for manager in ("KernelManager", "AsyncKernelManager"):
    c[manager].transport_encryption = "auto"
